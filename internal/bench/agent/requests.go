package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// requests is an agent that answers a prompt with n requests of its own, as fast
// as it can write, and ends the turn when each is answered.
func requests(n int, stdin io.Reader, stdout io.Writer) int {
	in := bufio.NewReaderSize(stdin, 64<<10)
	var mu sync.Mutex
	out := bufio.NewWriterSize(stdout, 64<<10)
	write := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, format+"\n", args...)
		_ = out.Flush()
	}
	var prompt json.RawMessage
	answered := 0
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		if bytes.Contains(line, []byte(`"id":"r`)) && !bytes.Contains(line, []byte(`"method"`)) {
			if answered++; answered == n {
				write(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, prompt)
			}
			continue
		}
		var f struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &f) != nil {
			continue
		}
		switch f.Method {
		case "initialize":
			write(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}`, f.ID)
		case "session/new":
			write(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s"}}`, f.ID)
		case "session/prompt":
			prompt = f.ID
			go func() {
				for i := range n {
					write(`{"jsonrpc":"2.0","id":"r%d","method":"_vendor/ask","params":{"sessionId":"s"}}`, i)
				}
			}()
		}
	}
}
