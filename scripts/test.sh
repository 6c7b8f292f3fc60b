#!/usr/bin/env bash
# Runs tests with gotestsum, all of them though some fail. At the end it says what
# failed and how to run that alone, which tests were slowest, and how long each
# package took.
#
#   scripts/test.sh short   what `make test` runs
#   scripts/test.sh full    what `make test-full` runs
#
# With RERUN=1 at most 5 failed tests are run again, twice at most. Those that pass
# then are named in lines that begin with "flaky:".
set -euo pipefail
cd "$(dirname "$0")/.."

events=$(mktemp)
trap 'rm -f "$events"' EXIT
export GLOVEBOX_TEST_ALL=1 # what the machine lacks fails the tests

gotestsum() {
  go tool gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg --hide-summary skipped \
    --jsonfile "$events" --post-run-command "go run ./scripts/testreport" "$@"
}

# Tests have no time limits of their own: -timeout ends what hangs. One package more
# than there are processors is tested at once: most wait for browsers and containers
# now and then.
export packages_at_once=$(($(nproc) + 1))
case ${1:-} in
short)
  printf '==> running the tests: 10 to 15 minutes on two cores; each package is named when it has ended\n'
  again=()
  [ "${RERUN:-}" != 1 ] || again=(--rerun-fails=2 --rerun-fails-max-failures=5 --rerun-fails-run-root-test)
  # The packages that take longest come first.
  gotestsum "${again[@]}" --packages "./internal/browser/engine ./e2e/... ./..." -- -short -count=1 -p "$packages_at_once" -timeout 60m
  ;;
full)
  printf '==> running every test: about an hour on two cores; each package is named when it has ended\n'
  # Without the race detector: the end-to-end tests, whose programs are separate processes,
  # and packages with much to compute that start no goroutines, or only such as the tests of
  # the page engine run too.
  gotestsum --raw-command -- bash -c '
    status=0
    plain="./e2e/... ./internal/arch ./internal/browser/extract ./internal/browser/injected ./internal/config ./internal/credentials/redact ./internal/gate/scan"
    CGO_ENABLED=1 go test -json -race -count=1 -p "$packages_at_once" -timeout 60m \
      ./internal/browser/engine ./internal/gate $(go list ./... | grep -vxF "$(go list $plain)") || status=1
    CGO_ENABLED=1 go -C bench test -json -race -count=1 -timeout 60m ./... || status=1
    go test -json -count=1 -p "$packages_at_once" -timeout 60m $plain || status=1
    exit $status'
  ;;
*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
