package offline

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
)

// player is the scripted model, one for all its names.
type player struct {
	script *script
	sleep  func(context.Context, time.Duration) error

	mu       sync.Mutex
	sessions map[string]*play // guarded by mu, as are the plays
}

// play is where one session stands in the script.
type play struct {
	used   map[*turn]bool
	number int // of the turn that is on, as the request counts
	turn   *turn
	next   int // step of the turn to look at first
}

func (p *player) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(model.Chunk{}, err)
			return
		}
		facts := factsOf(req)
		s, err := p.advance(req, facts)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		if s == nil { // the turn's steps are over
			yield(model.Chunk{End: model.EndStop}, nil)
			return
		}
		if err := p.perform(ctx, req, s, facts, func(c model.Chunk) bool { return yield(c, nil) }); err != nil {
			yield(model.Chunk{}, err)
		}
	}
}

// advance returns the step that answers the request, nil when the turn has none
// left. Every request takes one, a retry as well: so a step that fails is
// followed by the one that the retry gets.
func (p *player) advance(req *model.Request, facts map[string]any) (*step, error) {
	if !p.script.given {
		return nil, failure("there is no script for this model to play")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.sessions[req.Session]
	if at == nil {
		at = &play{used: map[*turn]bool{}}
		p.sessions[req.Session] = at
	}
	if at.turn == nil || at.number != req.Turn {
		t, err := p.choose(at, req)
		if err != nil {
			return nil, err
		}
		at.turn, at.number, at.next = t, req.Turn, 0
	}
	for at.next < len(at.turn.steps) {
		s := at.turn.steps[at.next]
		at.next++
		fits, err := s.when.fits(facts)
		if err != nil {
			return nil, failure(fmt.Sprintf("step %d of the scripted turn: when: %v", at.next, err))
		}
		if fits {
			return s, nil
		}
	}
	return nil, nil
}

// choose takes the first turn that is not used up and fits the prompt.
func (p *player) choose(at *play, req *model.Request) (*turn, error) {
	for i, t := range p.script.turns {
		if at.used[t] || t.model != "" && t.model != req.Model {
			continue
		}
		fits, err := t.when.fits(lastPrompt(req).Text)
		if err != nil {
			return nil, failure(fmt.Sprintf("turn %d of the script: when: %v", i+1, err))
		}
		if fits {
			at.used[t] = !t.repeat
			return t, nil
		}
	}
	return nil, failure("the script has no turn left that fits the prompt")
}

// perform plays one step. It returns nil when the answer is complete or the
// caller has stopped.
func (p *player) perform(ctx context.Context, req *model.Request, s *step, facts map[string]any, yield func(model.Chunk) bool) error {
	chunks, err := s.chunks(req, facts)
	if err != nil {
		return err
	}
	if err := p.pause(ctx, s.delay); err != nil {
		return err
	}
	for i, c := range chunks {
		if i > 0 && (c.Text != "" || c.Thought != "") {
			if err := p.pause(ctx, s.chunkDelay); err != nil {
				return err
			}
		}
		if !yield(c) {
			return nil
		}
	}
	if s.fails != nil {
		fails := *s.fails
		return &fails
	}
	return nil
}

func (p *player) pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	return p.sleep(ctx, d)
}

// chunks is the whole answer of a step; the end is left out of one that fails.
func (s *step) chunks(req *model.Request, facts map[string]any) ([]model.Chunk, error) {
	text, err := s.spoken(facts)
	if err != nil {
		return nil, err
	}
	var chunks []model.Chunk
	for _, t := range s.thought {
		chunks = append(chunks, model.Chunk{Thought: t})
	}
	for _, t := range text {
		chunks = append(chunks, model.Chunk{Text: t})
	}
	for i, c := range s.calls {
		id := fmt.Sprintf("call_%d_%d_%d", req.Turn, req.Step, i+1)
		chunks = append(chunks, model.Chunk{Call: &model.Call{ID: id, Name: c.tool, Args: c.args}})
	}
	if s.fails == nil {
		chunks = append(chunks, model.Chunk{Usage: s.usage, End: s.ending()})
	}
	return chunks, nil
}

// spoken is the text of a step, in chunks.
func (s *step) spoken(facts map[string]any) ([]string, error) {
	if s.echo == nil {
		return s.text, nil
	}
	v, err := s.echo(facts)
	if err != nil {
		return nil, failure("echo: " + err.Error())
	}
	text, ok := v.(string)
	if !ok {
		return nil, failure(fmt.Sprintf("echo: the expression must give a string, not %T", v))
	}
	return []string{text}, nil
}

func (s *step) ending() model.End {
	switch {
	case s.end != "":
		return s.end
	case len(s.calls) > 0:
		return model.EndToolCalls
	}
	return model.EndStop
}

func failure(message string) error {
	return &model.Error{Reason: model.ReasonProvider, Message: message}
}
