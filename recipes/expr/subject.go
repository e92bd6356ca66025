package expr

import "github.com/itchyny/gojq"

// Subject returns an expression for what a condition is about: the left side of
// its comparison, or what is piped into its test. A failed .text | fromjson |
// .total == 3 is explained by the total, not by false. False means that no such
// part can be told.
func (c *Code) Subject() (*Code, bool) {
	q, ok := subject(c.query)
	if !ok {
		return nil, false
	}
	code, err := compile(&Code{src: q.String(), query: q, names: c.names, limit: c.limit}, nil)
	return code, err == nil
}

func subject(q *gojq.Query) (*gojq.Query, bool) {
	if q == nil {
		return nil, false
	}
	if t := q.Term; t != nil {
		if t.Query != nil && len(t.SuffixList) == 0 && len(q.FuncDefs) == 0 {
			return subject(t.Query)
		}
		return nil, false
	}
	part := *q.Left
	switch q.Op {
	case gojq.OpEq, gojq.OpNe, gojq.OpLt, gojq.OpLe, gojq.OpGt, gojq.OpGe:
		part.FuncDefs = append(append([]*gojq.FuncDef{}, q.FuncDefs...), part.FuncDefs...)
		return &part, true
	case gojq.OpPipe:
		right, ok := subject(q.Right)
		if !ok {
			if len(q.Patterns) > 0 {
				return nil, false
			}
			part.FuncDefs = append(append([]*gojq.FuncDef{}, q.FuncDefs...), part.FuncDefs...)
			return &part, true
		}
		whole := *q
		whole.Right = right
		return &whole, true
	default:
		return nil, false
	}
}
