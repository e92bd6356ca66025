package mcp

// Transport says how a server is reached.
type Transport string

// The transports on offer. ACP: McpServer.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
)

// Server is one declared MCP server.
type Server struct {
	Name      string
	Transport Transport
	Command   string   // stdio: an absolute path, or a bare name looked up on PATH
	Args      []string // stdio
	Env       []Pair   // stdio: declared variables, which win over inherited ones
	URL       string   // http: absolute, http or https
	Headers   []Pair   // http: sent as they are with every request
}

// Pair is a name with its value, as ACP writes environment variables and headers.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
