package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"
)

// pkg is one package of ours with what it imports, as the go command sees it.
type pkg struct {
	name                 string // below the module path
	imports, testImports []string
}

// listPackages asks the go command, so build tags and generated files count as
// they do in a build.
func listPackages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, stderr.String())
	}
	var list []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		list = append(list, pkg{name: path.Clean(name), imports: p.Imports, testImports: append(p.TestImports, p.XTestImports...)})
	}
	if len(list) < 2 {
		t.Fatalf("only %d packages listed", len(list))
	}
	return list
}
