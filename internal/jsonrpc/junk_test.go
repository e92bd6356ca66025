package jsonrpc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// opened starts a connection whose junk and notifications are logged.
func opened(t *testing.T, tr Transport) (*Conn, *log) {
	t.Helper()
	seen := &log{}
	return open(t, tr, &Options{OnJunk: seen.junk, Handler: funcs{notify: seen.note}}), seen
}

// Noise is reported and skipped. None of it settles the pending call 0.
func TestF02_NoiseIsSkipped(t *testing.T) {
	t.Parallel()
	noise := []struct{ line, reason string }{
		{`"ready"`, JunkNotFrame},
		{`42`, JunkNotFrame},
		{`null`, JunkNotFrame},
		{`true`, JunkNotFrame},
		{`{}`, JunkNotFrame},
		{`{"level":"info","msg":"started","id":0}`, JunkNotFrame},
		{`{"id":0,"result":{"stopReason":"end_turn"}}`, JunkNotFrame},
		{`{"result":{"stopReason":"end_turn"}}`, JunkNotFrame},
		{`{"jsonrpc":"1.0","id":0,"result":1}`, JunkNotFrame},
		{`{"jsonrpc":2.0,"id":0,"result":1}`, JunkNotFrame},
		{`{"jsonrpc":"2.0"}`, JunkNotFrame},
		{`{"jsonrpc":"2.0","params":{}}`, JunkNotFrame},
		{`{"jsonrpc":"2.0","method":null}`, JunkNotFrame},
		{`[INFO] starting`, JunkNotJSON},
		{`{"jsonrpc":"2.0","id":0,"result":1`, JunkNotJSON},
		{`Loading ...`, JunkNotJSON},
		{`{"jsonrpc":"2.0","id":"0","result":1}`, JunkUnknownResponse},
		{`{"jsonrpc":"2.0","id":7,"result":1}`, JunkUnknownResponse},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, JunkUnknownResponse},
		{`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`, JunkUnknownResponse},
		{`{"jsonrpc":"2.0","id":{},"result":1}`, JunkUnknownResponse},
	}
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			c, seen := opened(t, a)
			var want []string
			go func() {
				_, _ = b.ReadFrame()
				for _, n := range noise {
					_ = b.WriteFrame(context.Background(), []byte(n.line))
				}
				_ = b.WriteFrame(context.Background(), []byte(notification(1)))
				_ = b.WriteFrame(context.Background(), []byte(`{"jsonrpc":"2.0","id":0,"result":"real"}`))
			}()
			for _, n := range noise {
				want = append(want, n.reason+": "+n.line)
			}
			result, err := c.Call(t.Context(), "m", nil, nil)
			if err != nil || string(result) != `"real"` {
				t.Errorf("Call = %s, %v", result, err)
			}
			if got := seen.all(); !slices.Equal(got, append(want, "n1")) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestJunkShowsWhatAnErrorSays(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	got := make(chan Junk, 1)
	open(t, a, &Options{OnJunk: func(j Junk) { got <- j }})
	line := `{"jsonrpc":"2.0","error":{"data":"` + strings.Repeat("x", 1000) + `","message":"cannot parse","code":-32700}}`
	send(t, b, line)
	j := <-got
	if j.Message != "cannot parse" || j.Size != len(line) || string(j.Line) != line[:200] || j.Reason != JunkUnknownResponse {
		t.Errorf("got %+v", j)
	}
}

func TestCT10_RepeatedResponseIsDropped(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	c, seen := opened(t, a)
	go answer(b, func(id int) []string { return []string{responseTo(id), responseTo(id)} })
	for range 3 {
		if _, err := c.Call(t.Context(), "m", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	want := []string{"unknown_response: " + responseTo(0), "unknown_response: " + responseTo(1), "unknown_response: " + responseTo(2)}
	if got := seen.all(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestCT08_BatchIsRefusedOnce(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			c, seen := opened(t, a)
			refusal := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported","data":{"reason":"batch_not_supported"}}}`
			for _, batch := range []string{`[{"jsonrpc":"2.0","method":"n"}]`, ` [ ]`, `[{"jsonrpc":"2.0","id":9,"method":"m"},1]`} {
				send(t, b, batch)
				wantFrames(t, b, refusal)
			}
			go func() { _ = c.Notify(context.Background(), "last", nil) }()
			wantFrames(t, b, `{"jsonrpc":"2.0","method":"last"}`)
			_ = b.Close()
			<-c.Done()
			if got := seen.all(); len(got) != 3 || !strings.HasPrefix(got[0], "batch: [{") {
				t.Errorf("seen %q", got)
			}
		})
	}
}

// An agent answers what it cannot parse; a client, whose peer writes logs to its
// output, does not.
func TestAC03_UnparsableLine(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			open(t, a, &Options{ReplyParseError: true, Handler: echo})
			send(t, b, `{bad`, `{}`, `{"jsonrpc":"2.0","id":1,"method":"m"}`)
			wantFrames(t, b,
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not JSON","data":{"reason":"not_json"}}}`,
				`{"jsonrpc":"2.0","id":1,"result":null}`)
		})
	}
}

func TestAC05_TooLargeFrameIsAnswered(t *testing.T) {
	t.Parallel()
	a, b := osPipe(t, &StreamOptions{MaxFrame: 1000})
	open(t, a, &Options{ReplyParseError: true, Handler: echo})
	send(t, b, strings.Repeat("x", 70_000), `{"jsonrpc":"2.0","id":1,"method":"m"}`)
	wantFrames(t, b,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"frame of 70000 bytes is over the limit of 1000","data":{"reason":"frame_too_large","limit":1000,"size":70000}}}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`)
}

// Complete JSON without a line end counts; JSON that is cut off is told apart from
// other noise, and from the peer's orderly end.
func TestF01_LastLineWithoutNewline(t *testing.T) {
	t.Parallel()
	tests := []struct {
		last      string
		result    string
		junk      string
		truncated bool
	}{
		{last: `{"jsonrpc":"2.0","id":0,"result":{"stopReason":"end_turn"}}`, result: `{"stopReason":"end_turn"}`},
		{last: `{"jsonrpc":"2.0","id":0,"result":{"stopRea`, junk: JunkTruncated, truncated: true},
		{last: `  [{"jsonrpc"`, junk: JunkTruncated, truncated: true},
		{last: `Segmentation faul`, junk: JunkNotJSON},
		{last: "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"stopRea\n", junk: JunkNotJSON},
		{last: ``},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.20q", tt.last), func(t *testing.T) {
			t.Parallel()
			r, peer := pipeFiles(t)
			ours, w := pipeFiles(t)
			t.Cleanup(func() { _ = ours.Close() })
			c, seen := opened(t, NewStream(r, w, nil))
			go func() {
				_, _ = ours.Read(make([]byte, 1))
				_, _ = peer.WriteString(tt.last)
				_ = peer.Close()
			}()
			result, err := c.Call(t.Context(), "m", nil, nil)
			<-c.Done()
			if string(result) != tt.result {
				t.Errorf("result %s, want %s", result, tt.result)
			}
			if lost := asLost(err); (lost == nil) != (tt.result != "") || lost != nil && lost.Truncated != tt.truncated {
				t.Errorf("err = %v", err)
			}
			var want []string
			if tt.junk != "" {
				want = []string{tt.junk + ": " + strings.TrimSuffix(tt.last, "\n")}
			}
			if got := seen.all(); !slices.Equal(got, want) {
				t.Errorf("junk %q, want %q", got, want)
			}
		})
	}
}
