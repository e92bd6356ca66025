# Each target is one command; make prints it. `make check` is what CI runs.
GO ?= go
GOLANGCI = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: build test race lint fmt

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/acpctl ./cmd/acpctl

test:
	$(GO) test ./...

race:
	CGO_ENABLED=1 $(GO) test -race ./...

lint:
	$(GOLANGCI) run ./...

fmt:
	$(GOLANGCI) fmt ./...
