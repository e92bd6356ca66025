package acptest_test

import (
	"context"
	"fmt"

	"github.com/acpctl/acpctl/controller/acptest"
)

func ExampleConnect() {
	s, err := acptest.Parse("hello", []byte(`
# An agent that says its name and nothing else.
> initialize
reply initialize {"protocolVersion":1,"agentInfo":{"name":"hello"}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	client, wait := acptest.Connect(s, nil)
	err = client.WriteFrame(context.Background(), []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	frame, err := client.ReadFrame()
	fmt.Println(string(frame), err)
	fmt.Println(client.Close(), wait())
	// Output:
	// {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"hello"}}} <nil>
	// <nil> <nil>
}
