package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/output"
	"github.com/acpctl/acpctl/recipes"
)

// runner is one execution of a plan: the stream, the driver, and the way out.
type runner struct {
	app      *app
	plan     *recipes.Plan
	opts     *runOptions
	stdin    string
	stream   *stream
	driver   *driver
	steps    *steps
	out      *destination
	stderr   io.WriteCloser // with secrets masked
	start    time.Time
	login    *terminalLogin
	recorder *recorder // nil: none
}

// newRunner puts everything together that can fail before something starts.
func (a *app) newRunner(plan *recipes.Plan, o *runOptions, stdin string) (*runner, error) {
	out, err := a.openDestination(o, plan.SecretValues())
	if err != nil {
		return nil, err
	}
	r := &runner{app: a, plan: plan, opts: o, stdin: stdin, out: out, start: a.env.Now()}
	r.stderr = out.redactor.Writer(out.stderr)
	var agentStderr io.Writer
	if o.verbose {
		agentStderr = out.redactor.Writer(out.stderr)
	}
	agent, err := a.openAgent(a.specOf(plan, o, agentStderr))
	if err != nil {
		return nil, errors.Join(err, out.discard())
	}
	r.stream = &stream{now: a.env.Now, run: a.env.NewID("run_"), strict: o.strict, sink: out.sink, redact: out.redactor.Events}
	r.steps = newSteps(a.env, plan.SecretNames)
	if r.recorder, err = a.newRecorder(o.record, out.redactor); err != nil {
		return nil, errors.Join(err, out.discard())
	}
	r.login = &terminalLogin{env: a.env, argv: plan.Agent.Argv, method: o.terminalAuth}
	r.driver = &driver{agent: agent, login: r.login, lock: func(id string) (*sessionLock, error) { return a.lockSession(plan.Agent.Argv, plan.Agent.URL, id) }, env: newPolicyEnv(a.env, plan.Cwd, plan.AddDirs, plan.ServerNames()), opts: r.controllerOptions()}
	return r, nil
}

func (r *runner) controllerOptions() *controller.Options {
	return &controller.Options{
		ClientName: "acpctl", ClientVersion: version(),
		Emit: func(e event.Event) { e.Step = r.driver.step(); r.stream.Emit(e) }, Clock: r.app.env.Now, Deltas: r.opts.deltas,
		Remember: r.plan.Remember(), AskKinds: r.plan.AskKinds(), AllowBypass: r.opts.allowBypass, AuthMethod: r.opts.auth,
		Grace: grace(r.plan.Limits.Grace), Deadlines: r.app.env.Deadlines,
		Client:       controller.ClientServices{FS: r.plan.Client.FS, Terminal: r.plan.Client.Terminal, Environ: r.steps.environ},
		TerminalAuth: r.login.usable(), Tap: r.recorder.tap(),
		URLs: r.plan.URLs(), OpenURL: opener(r.plan.Opener()),
	}
}

// run carries the plan out and returns the exit code. Whatever happens, the last
// event is the result and no process of the run is left.
func (r *runner) run(ctx context.Context) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.stream.onLost = func(err error) { cancel(r.lostFailure(err)) }
	stopWatch := r.out.watch(func(err error) { cancel(readerGone(err)) })
	defer stopWatch()
	stopSignals := r.app.watchSignals(cancel, r.force)
	defer stopSignals()
	release := context.AfterFunc(ctx, func() { r.out.deadline(grace(r.plan.Limits.Grace)(context.Cause(ctx))) })
	defer release()

	r.stream.Emit(event.Event{Body: r.plan.RunStart(version(), r.stdin)})
	result := r.plan.Run(ctx, &recipes.RunOptions{
		Driver: r.driver, Commander: r.steps, Emit: r.stream.Emit, Clock: r.app.env.Now,
		RunID: r.stream.run, Step: r.driver.setStep,
	})
	_ = r.driver.Close(context.WithoutCancel(ctx)) // bounded by the ladder; what it finds is in agent.end
	r.settle(ctx, result)
	if f := r.recorder.close(); f != nil && result.ExitCode == event.ExitOK {
		recipes.Fail(result, f)
	}
	r.stream.Finish(result)
	r.explain(result)
	return r.close(result)
}

// explain tells people on stderr why a run failed, beside the result that stdout
// has for programs. The text format has said so itself.
func (r *runner) explain(result *event.Result) {
	if result.Error != nil && r.app.formatOf(r.opts) != formatText {
		printFailure(r.stderr, result.Error)
	}
	_ = r.stderr.Close() // flushes what the masking held back
}

// settle adds what only the whole run knows: a signal or a lost reader that came
// behind the last step, and warnings under --strict.
func (r *runner) settle(ctx context.Context, result *event.Result) {
	if cause := context.Cause(ctx); cause != nil && result.ExitCode == event.ExitOK {
		recipes.Fail(result, event.AsFailure(cause))
	}
	if f := r.stream.StrictFailure(); f != nil && result.ExitCode == event.ExitOK {
		recipes.Fail(result, f)
	}
}

// close flushes the output, which may fail last of all, and writes the outputs
// for a CI system that asked for them.
func (r *runner) close(result *event.Result) int {
	err := r.out.close(result)
	if err == nil {
		err = r.app.writeGitHubOutput(result.Outputs)
	}
	if err == nil {
		return result.ExitCode
	}
	f := r.lostFailure(err)
	told := result.Error != nil && result.Error.Reason == f.Reason
	if f.Class != event.ClassSignal && !told {
		r.app.printFailure(f)
	}
	if result.ExitCode != event.ExitOK {
		return result.ExitCode
	}
	return f.ExitCode()
}

// lostFailure tells a reader that went away from a disk that is full.
func (r *runner) lostFailure(err error) *event.Failure {
	if f := new(event.Failure); errors.As(err, &f) {
		return f
	}
	if output.IsReaderGone(err) {
		return readerGone(err)
	}
	return &event.Failure{Class: event.ClassInternal, Reason: "output_failed", Message: "writing the output: " + err.Error(), Err: err}
}

// force is the second signal: the agent's process group is killed, the result is
// written if that is possible at once, and the process ends.
func (r *runner) force(f *event.Failure) {
	r.driver.Kill()
	r.steps.Kill()
	result := recipes.FailedResult(f, r.app.env.Now().Sub(r.start))
	result.Partial = true
	r.out.deadline(secondGrace)
	r.stream.FinishWithin(secondGrace, result)
	r.out.flush()
	r.app.env.Exit(f.ExitCode())
}
