// Command repostat is a small MCP server for the examples: one tool that counts
// the files and lines of a folder. It serves MCP on stdin and stdout.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// countInput is what the tool takes.
type countInput struct {
	Folder string `json:"folder" jsonschema:"folder below the server's working directory"`
	Suffix string `json:"suffix,omitempty" jsonschema:"only files whose name ends like this, such as .go"`
}

// countOutput is what it gives back as structured content.
type countOutput struct {
	Files int `json:"files"`
	Lines int `json:"lines"`
}

func main() {
	if err := newServer(".").Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "repostat:", err)
		os.Exit(1)
	}
}

// newServer serves counts of folders below root.
func newServer(root string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "repostat", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "count_lines", Description: "Count the files and lines of a folder."},
		func(_ context.Context, _ *mcp.CallToolRequest, in countInput) (*mcp.CallToolResult, countOutput, error) {
			out, err := count(root, in)
			return nil, out, err
		})
	return s
}

func count(root string, in countInput) (countOutput, error) {
	var out countOutput
	if !filepath.IsLocal(in.Folder) {
		return out, fmt.Errorf("folder %q is not below the working directory", in.Folder)
	}
	err := filepath.WalkDir(filepath.Join(root, in.Folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(d.Name(), in.Suffix) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out.Files++
		out.Lines += bytes.Count(text, []byte("\n"))
		return nil
	})
	return out, err
}
