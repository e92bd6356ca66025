# Each target is one or two commands, and make prints them. `make check` is what CI runs.
GO ?= go
GOLANGCI = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME ?= 10s

.PHONY: build test race lint fmt gen golden fuzz cover bench chaos realagents check

# The binary as it is shipped: static, stripped.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/acpctl ./cmd/acpctl

test:
	$(GO) test ./...

# Needs a C compiler.
race:
	CGO_ENABLED=1 $(GO) test -race ./...

lint:
	$(GOLANGCI) run ./...

fmt:
	$(GOLANGCI) fmt ./...

# Generated files: the JSON Schemas, and the reference in docs/recipe.md.
gen:
	$(GO) test -count=1 ./recipes ./controller/event -run 'Schema|Reference' -update

# Rewrites the expectations of golden tests and scripts; read the diff like code.
golden:
	$(GO) test ./controller/event ./output ./recipes -update
	UPDATE_SCRIPTS=1 $(GO) test ./cmd/acpctl -run Scripts

# Every fuzz target for FUZZTIME each.
fuzz:
	.ci/fuzz $(FUZZTIME)

# Turns with agents that do random wrong things, in fake time and as processes; CHAOS_SEED chooses which.
CHAOS_RUNS ?= 10000
CHAOS_PROCESSES ?= 300
KILLS ?= 200
chaos:
	CGO_ENABLED=1 CHAOS_RUNS=$(CHAOS_RUNS) CHAOS_PROCESSES=$(CHAOS_PROCESSES) KILLS=$(KILLS) $(GO) test -count=1 -timeout 60m -race -run 'Chaos|KilledAnywhere' ./controller ./cmd/acpctl

# Agents that other people wrote, installed from npm and run through recipes against a model server on this machine. Needs node
# and npm, and says so where they are missing. AGENTS=all rewrites the table of docs/agents.
AGENTS ?= all
realagents:
	ACPCTL_REALAGENTS=$(AGENTS) ACPCTL_REALAGENTS_UPDATE=$(if $(filter all,$(AGENTS)),1,) $(GO) test -count=1 -timeout 30m -v ./internal/realagents

cover:
	$(GO) test -coverprofile=coverage.out ./... && $(GO) tool cover -func=coverage.out | tail -1

# Figures of speed and memory beside their bounds, each with the command to repeat it.
bench:
	$(GO) run ./internal/bench

check:
	.ci/run
