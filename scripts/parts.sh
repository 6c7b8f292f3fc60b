#!/usr/bin/env bash
# Runs targets of the Makefile one after the other, all of them though one fails, and
# says at the end which failed and how long each took.
#
#   scripts/parts.sh lint test demo
set -uo pipefail
cd "$(dirname "$0")/.."

status=0
results=()
for part in "$@"; do
  printf '\n==> make %s\n' "$part"
  began=$SECONDS
  if "${MAKE:-make}" --no-print-directory "$part"; then
    results+=("make $part: passed in $((SECONDS - began)) s")
  else
    status=1
    results+=("make $part: FAILED after $((SECONDS - began)) s")
  fi
done
printf '\n'
printf '%s\n' "${results[@]}"
exit $status
