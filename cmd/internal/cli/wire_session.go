package cli

import (
	"context"

	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/recipes"
)

// open opens the session that a recipe asks for. One that is gone is replaced by
// a new one only where the recipe says so.
func (d *driver) open(ctx context.Context, conn *controller.Conn, from recipes.SessionFrom, p controller.SessionParams) (*controller.Session, error) {
	from, err := d.locked(ctx, conn, from, p.Cwd)
	var s *controller.Session
	if err == nil {
		s, err = openFrom(ctx, conn, from, p)
	}
	f := event.AsFailure(err)
	if f == nil || !from.OrNew || f.Class != event.ClassSession || f.Reason == "session_in_use" {
		return s, err
	}
	d.opts.Emit(event.Event{Body: event.Warning{Code: "session_replaced", Message: "a new session is begun: " + f.Message}})
	return conn.NewSession(ctx, p)
}

// locked finds the session that is to be gone on with and keeps others out of it.
func (d *driver) locked(ctx context.Context, conn *controller.Conn, from recipes.SessionFrom, cwd string) (recipes.SessionFrom, error) {
	if from.Kind == recipes.FromContinue {
		id, err := newestSession(ctx, conn, cwd)
		if err != nil {
			return from, err
		}
		from.Kind, from.ID = recipes.FromResume, id
	}
	if d.lock == nil || from.Kind != recipes.FromResume && from.Kind != recipes.FromLoad {
		return from, nil
	}
	lock, err := d.lock(from.ID)
	if err == nil {
		d.locks = append(d.locks, lock)
	}
	return from, err
}

func openFrom(ctx context.Context, conn *controller.Conn, from recipes.SessionFrom, p controller.SessionParams) (*controller.Session, error) {
	switch from.Kind {
	case recipes.FromResume:
		return conn.ResumeSession(ctx, from.ID, p)
	case recipes.FromLoad:
		return conn.LoadSession(ctx, from.ID, p)
	case recipes.FromFork:
		return conn.ForkSession(ctx, from.ID, p)
	default:
		return conn.NewSession(ctx, p)
	}
}

// newestSession is the session of cwd with the latest updatedAt; among those
// without one, the first that the agent lists.
func newestSession(ctx context.Context, conn *controller.Conn, cwd string) (string, error) {
	var newest controller.SessionInfo
	for s, err := range conn.Sessions(ctx, cwd) {
		if err != nil {
			return "", err
		}
		if s.Cwd != "" && s.Cwd != cwd {
			continue // an agent that ignores the filter
		}
		if newest.ID == "" || s.UpdatedAt > newest.UpdatedAt {
			newest = s
		}
	}
	if newest.ID == "" {
		return "", &event.Failure{
			Class: event.ClassSession, Reason: "no_session", Message: "the agent has no session of " + cwd + " to go on with",
			Hints: []string{"leave --continue away to begin one"},
		}
	}
	return newest.ID, nil
}
