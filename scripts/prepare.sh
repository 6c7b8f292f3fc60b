#!/usr/bin/env bash
# Installs what is missing and starts the container engine for `make demo`, `make up`,
# `make test`, `make test-full`, `make test-apps` and `make bench-journeys`, then runs
# the given command. It stops an engine that it started; what it installed stays, so
# it can be interrupted and run again.
#
#   scripts/prepare.sh demo <command…>       engine, and debootstrap if needed
#   scripts/prepare.sh test <command…>       also Chromium, Xvfb, programs for it, vpxenc, Node, npm, Django and sops
#   scripts/prepare.sh journeys <command…>   also the web applications of the journeys
#   scripts/prepare.sh apps <command…>       also the web applications of the other tasks
#
# It shows what it is about to do and asks first. It does not ask with YES=1, with
# CI=true or without a terminal.
set -euo pipefail

purpose=$1
shift

say() { printf '\033[2m==> %s\033[0m\n' "$*" >&2; }
stop() { printf 'error: %s\n' "$*" >&2; exit 8; }

# step <what> <command…> shows what is being done and how long it took.
step() {
  say "$1 …"
  local began=$SECONDS
  "${@:2}"
  say "$1: done in $((SECONDS - began)) s"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

command -v go >/dev/null || stop "Go is missing. Install Go 1.26 or newer: https://go.dev/dl/"

engine_answers() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# The missing Debian packages, and the program sops, which Debian does not have. The
# tests' files were made with this version; it is built once for a version of Go.
missing=()
sops_module=github.com/getsops/sops/v3/cmd/sops@v3.13.3
sops_folder=
need() { # need <package> <test command…>
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}
if ! engine_answers; then
  need docker.io command -v dockerd
  need iptables command -v iptables
fi
if ! docker image inspect debian:bookworm-slim >/dev/null 2>&1; then
  need debootstrap command -v debootstrap
fi
if [ "$purpose" = apps ]; then
  need dovecot-imapd command -v dovecot
  need roundcube-core test -d /usr/share/roundcube
  need roundcube-sqlite3 php -r "exit((int) !extension_loaded('pdo_sqlite'));"
  need jupyter-notebook test -d /usr/lib/python3/dist-packages/notebook
fi
if [ "$purpose" = journeys ] || [ "$purpose" = apps ]; then
  need transmission-daemon command -v transmission-daemon
  need syncthing command -v syncthing
  need wordpress test -d /usr/share/wordpress
  need dokuwiki test -d /usr/share/dokuwiki
  need mariadb-server test -x /usr/sbin/mariadbd
  need php-cli command -v php
  need php-mysql php -r "exit((int) !extension_loaded('mysqli'));"
  need php-xml php -r "exit((int) !extension_loaded('xml'));"
  need nodejs command -v node
  need npm command -v npm
  need python3-django /usr/bin/python3 -c "import django"
fi
if [ "$purpose" = test ]; then
  need chromium test -x "${GLOVEBOX_TEST_CHROMIUM:-/usr/lib/chromium/chromium}"
  need chromium-headless-shell test -x /usr/lib/chromium/chromium-headless-shell
  need xvfb command -v Xvfb
  need vpx-tools command -v vpxenc
  need xterm command -v xterm
  need xclip command -v xclip
  need openbox command -v openbox
  need nodejs command -v node
  need npm command -v npm
  need python3-django /usr/bin/python3 -c "import django"
  if ! command -v sops >/dev/null; then
    sops_folder=${XDG_CACHE_HOME:-$HOME/.cache}/glovebox-tests/sops-${sops_module#*@}-$(go env GOVERSION)
    PATH=$sops_folder:$PATH
  fi
fi

agree() {
  [ "${YES:-}" = 1 ] || [ "${CI:-}" = true ] && return 0
  if [ ! -t 0 ]; then
    say "no terminal to ask on: going on (interrupt to stop)"
    return 0
  fi
  read -r -p "go on? [y/N] " answer
  [ "$answer" = y ] || [ "$answer" = Y ] || stop "nothing was changed"
}

install_packages() {
  as_root dpkg --configure -a >/dev/null # what an interrupted installation left
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

build_sops() {
  mkdir -p "$sops_folder"
  CGO_ENABLED=0 GOWORK=off GOFLAGS= GOBIN=$sops_folder go install -trimpath -ldflags '-s -w' "$sops_module"
}

work=()
if [ ${#missing[@]} -gt 0 ]; then
  work+=("install the Debian packages ${missing[*]} (about 1 minute)")
fi
if [ -n "$sops_folder" ] && ! [ -x "$sops_folder/sops" ]; then
  work+=("build the program sops in ${sops_folder%/*} (about 4 minutes)")
fi
if [ ${#work[@]} -gt 0 ]; then
  say "missing on this machine; about to:"
  for line in "${work[@]}"; do say "  $line"; done
  say "then Go modules are fetched and the browser image is built, if they are not there yet (about 4 minutes)"
  [ ${#missing[@]} = 0 ] || command -v apt-get >/dev/null || stop "install them with your package manager and try again: ${missing[*]}"
  agree
  [ ${#missing[@]} = 0 ] || step "installing ${#missing[@]} packages" install_packages
  [ -z "$sops_folder" ] || [ -x "$sops_folder/sops" ] || step "building sops" build_sops
fi

# Without a service manager the engine is started here, and stopped at the end.
engine_dir=
cleanup() {
  [ -n "$engine_dir" ] || return 0
  local pid
  if pid=$(cat "$engine_dir/pid" 2>/dev/null); then
    as_root kill "$pid" 2>/dev/null || true
    for _ in $(seq 200); do
      as_root kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
  fi
  rm -rf "$engine_dir"
}
trap cleanup EXIT

start_engine() {
  if [ -d /run/systemd/system ] && command -v systemctl >/dev/null; then
    say "starting the container engine: systemctl start docker"
    as_root systemctl start docker
  else
    say "starting the container engine: dockerd (it is stopped with this command)"
    engine_dir=$(mktemp -d)
    as_root dockerd --pidfile "$engine_dir/pid" >"$engine_dir/log" 2>&1 &
  fi
  for _ in $(seq 300); do
    engine_answers && return 0
    sleep 0.1
  done
  [ -z "$engine_dir" ] || tail -n 20 "$engine_dir/log" >&2
  stop "the container engine does not answer; is this user in the docker group?"
}

engine_answers || start_engine

"$@"
