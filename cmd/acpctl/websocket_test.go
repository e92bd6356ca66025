package main

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/coder/websocket"

	"github.com/acpctl/acpctl/controller/acptest"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// keptOpen leaves the close, and its code, to the server.
type keptOpen struct{ jsonrpc.Transport }

func (keptOpen) Close() error { return nil }

// serveWebSocket is the scripted agent on a WebSocket. Arguments: the file that
// gets its address, the scenario, and optionally the bearer token that it asks
// for and the file that gets its certificate, which makes it a wss server. It
// serves until it is killed.
func serveWebSocket(args []string) int { //nolint:unparam // an exit code; it serves until it is killed
	text, err := os.ReadFile(args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	scenario, err := acptest.Parse(args[1], text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	token := ""
	if len(args) > 2 {
		token = args[2]
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token != "" && r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		t := jsonrpc.NewWebSocket(conn, nil)
		if scenario.Serve(r.Context(), keptOpen{t}, nil) != nil {
			_ = conn.Close(websocket.StatusInternalError, "the scenario failed")
		}
		_ = t.Close()
	}))
	var address string
	if len(args) > 3 {
		s.StartTLS()
		cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
		if err := os.WriteFile(args[3], cert, 0o600); err != nil {
			return 1
		}
		address = "wss" + strings.TrimPrefix(s.URL, "https")
	} else {
		s.Start()
		address = "ws" + strings.TrimPrefix(s.URL, "http")
	}
	if err := os.WriteFile(args[0]+".new", []byte(address), 0o600); err != nil {
		return 1
	}
	if err := os.Rename(args[0]+".new", args[0]); err != nil {
		return 1
	}
	select {}
}
