package tool

import (
	"context"
	"fmt"
)

type todoArgs struct {
	Todos []Todo `json:"todos"`
}

func writeTodos() Tool {
	return define(Spec{
		Name: "todo_write", Kind: KindThink,
		Description: "Replace the to-do list, which the user sees as the plan. Always send the whole list; an empty list clears it. " +
			"Use it for work of several steps, and keep one entry in_progress.",
	}, `"todos":{"type":"array","maxItems":100,"description":"all entries in order","items":{"type":"object",
			"properties":{
				"content":{"type":"string","minLength":1,"description":"what is to be done"},
				"status":{"type":"string","enum":["pending","in_progress","completed"]},
				"priority":{"type":"string","enum":["high","medium","low"],"description":"default: medium"}},
			"required":["content","status"],"additionalProperties":false}}`,
		[]string{"todos"}, planTodos)
}

func planTodos(ws *Workspace, a todoArgs) (*Plan, error) {
	for i := range a.Todos {
		if a.Todos[i].Priority == "" {
			a.Todos[i].Priority = "medium"
		}
	}
	return &Plan{Run: func(context.Context, func(Progress)) Result {
		if ws.Todos == nil {
			return errorf("no to-do list is kept in this session")
		}
		ws.Todos.Replace(a.Todos)
		completed := 0
		for _, t := range a.Todos {
			if t.Status == "completed" {
				completed++
			}
		}
		return Result{Text: fmt.Sprintf("%s, %d completed", plural(len(a.Todos), "to-do"), completed)}
	}}, nil
}
