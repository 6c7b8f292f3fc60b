# Everything a person does with this tree, by name. `make` alone lists it.
VERSION ?= 0.1.0-dev
GOFLAGS_BUILD = -ldflags "-s -w -X main.version=$(VERSION)"
export CGO_ENABLED = 0
# Packages are built alike in every folder: a fresh clone finds them in the build cache.
export GOFLAGS += -trimpath

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

.PHONY: build
build: ## build ./glovebox, one static binary
	go build $(GOFLAGS_BUILD) -o glovebox ./cmd/glovebox

.PHONY: demo
demo: ## set up what is missing and watch the main job run in a real box (YES=1: do not ask)
	@scripts/prepare.sh demo $(MAKE) --no-print-directory demo-ready

.PHONY: demo-ready
demo-ready: build
	@./glovebox image build
	@go run ./demo

.PHONY: up
up: ## run the gateway in the foreground, and print how to connect
	@scripts/prepare.sh demo $(MAKE) --no-print-directory up-ready

.PHONY: up-ready
up-ready: build
	@./glovebox image build
	@./glovebox serve

.PHONY: test
test: ## run the tests for everyday work: unit, real Chromium, real boxes, end to end; 10 to 15 minutes
	@scripts/prepare.sh test $(MAKE) --no-print-directory test-ready

.PHONY: test-ready
test-ready: build
	@./glovebox image build
	@scripts/test.sh short

.PHONY: test-full
test-full: ## lint, run every test, with the race detector, and the demo: what a release must pass; about an hour
	@scripts/prepare.sh test scripts/parts.sh lint test-full-ready demo-ready

.PHONY: test-full-ready
test-full-ready: build
	@./glovebox image build
	@scripts/test.sh full

.PHONY: lint
lint: ## gofmt, vet, staticcheck, go.mod
	@test -z "$$(gofmt -l cmd demo internal images e2e bench scripts)" || { gofmt -l cmd demo internal images e2e bench scripts; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go mod tidy -diff
	go -C bench vet ./...
	cd bench && go tool staticcheck ./...
	go -C bench mod tidy -diff

.PHONY: gen
gen: ## write the generated reference pages
	go test ./internal/action ./internal/arch ./internal/gateway ./internal/config ./internal/fault ./internal/gate/audit ./internal/gate/scan ./internal/sandbox/escapetest ./internal/surface/mcp ./internal/surface/rest -run 'UpToDate' -update

FUZZTIME ?= 5m
.PHONY: fuzz
fuzz: ## run every fuzz target, FUZZTIME=5m each; what fails is kept below testdata/fuzz
	@grep -rlE '^func Fuzz' --include=*_test.go internal | xargs -n1 dirname | sort -u | while read -r package; do \
	  for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$package/*_test.go | cut -c6-); do \
	    echo "==> $$package $$target"; \
	    go test ./$$package -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) || exit 1; \
	  done; \
	done

.PHONY: bench
bench: ## run every benchmark; write the tables of the MCP servers into docs/benchmarks.md and README.md
	@scripts/prepare.sh test $(MAKE) --no-print-directory bench-ready

.PHONY: bench-ready
bench-ready: bench-mcp-ready
	go -C bench test -run '^$$' -bench . -skip 'MCP|Quick' -benchtime 2s -timeout 30m .

.PHONY: bench-mcp
bench-mcp: ## the part of it that compares MCP servers: about twenty minutes
	@scripts/prepare.sh test $(MAKE) --no-print-directory bench-mcp-ready

.PHONY: bench-mcp-ready
bench-mcp-ready:
	go -C bench test -run '^$$' -bench '^BenchmarkMCP$$' -benchtime 1x -timeout 45m . -write

.PHONY: bench-quick
bench-quick: ## say in two minutes whether an action got slower than in another commit (AGAINST=commit or self, ONLY=pattern, FOR=5m, ALLOW=1, JSON=file)
	@scripts/prepare.sh test $(MAKE) --no-print-directory bench-quick-ready

.PHONY: bench-quick-ready
bench-quick-ready:
	go -C bench test -run '^$$' -bench '^BenchmarkQuick$$' -benchtime 1x -timeout 30m . -args -against "$(AGAINST)" -json "$(if $(JSON),$(abspath $(JSON)))" $(if $(FOR),-for $(FOR)) $(if $(ALLOW),-allow) -only '$(ONLY)'

.PHONY: bench-journeys
bench-journeys: ## make ordinary journeys, count needless questions and harmful acts unasked; write docs/journeys.md
	@scripts/prepare.sh journeys $(MAKE) --no-print-directory bench-journeys-ready

.PHONY: bench-journeys-ready
bench-journeys-ready:
	go -C bench test -run '^$$' -bench Journeys -benchtime 1x -timeout 20m ./journeys -args -out "$(CURDIR)/docs/journeys.md" -findings "$${TMPDIR:-/tmp}/glovebox-journeys.json"

.PHONY: test-apps
test-apps: ## do five tasks in each of thirteen real applications, about ten minutes (WRITE=1: write docs/apps.md)
	@scripts/prepare.sh apps $(MAKE) --no-print-directory test-apps-ready

.PHONY: test-apps-ready
test-apps-ready:
	go -C bench test -count 1 -v -run TestTasksInApplications -timeout 25m ./apptasks -args -every $(if $(WRITE),-out "$(CURDIR)/docs/apps.md")
