package cli

import (
	"crypto/x509"
	"net/http"
	"net/url"
	"os"

	"github.com/acpctl/acpctl/controller"
)

// remoteAddress checks the address of a remote agent.
func remoteAddress(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		return "", usageErrorf("--agent %s: the address of a remote agent is ws://HOST... or wss://HOST...", text)
	}
	return text, nil
}

// openRemote turns a spec into an agent that runs elsewhere. Nothing is sent yet.
func (a *app) openRemote(s agentSpec) (controller.Agent, error) {
	r := &controller.Remote{URL: s.URL, Header: http.Header{}, Timeout: a.env.Deadlines.Initialize}
	for _, h := range s.Headers {
		r.Header.Add(h.Name, h.Value)
	}
	if s.CAFile == "" {
		return r, nil
	}
	pem, err := os.ReadFile(s.CAFile)
	if err != nil {
		return nil, usageErrorf("reading caFile: %v", err)
	}
	r.RootCAs = x509.NewCertPool()
	if !r.RootCAs.AppendCertsFromPEM(pem) {
		return nil, usageErrorf("caFile %s has no PEM certificate", s.CAFile)
	}
	return r, nil
}
