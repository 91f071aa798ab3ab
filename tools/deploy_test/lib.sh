# Functions that the parts of the deployment test share. Sourced by run.sh.

# /tmp may be small, and a container's user has to enter the folder.
work=$(mktemp -d /var/tmp/waybill-deploy-XXXXXX)
chmod 0755 "$work"
proved=0 failed=0 left_out=0

say() { printf '%s\n' "$*" >&2; }
die() { say "deploy-test: $*"; exit 1; }

# `tell` adds text to the line of the current proof; `leave_out` ends the proof as left out.
tell() { printf '%s\n' "$*" >>"$work/said"; }
leave_out() { tell "$*"; exit 77; }

has() { command -v "$1" >/dev/null; }

# Runs a function in a shell of its own, with its output in a log, and prints the result with the time. prove NAME FUNCTION…
prove() {
  local name=$1 begin=$EPOCHREALTIME status=0 text
  shift
  : >"$work/said"
  set +e
  (set -e; "$@") >"$work/$name.log" 2>&1
  status=$?
  set -e
  text=$(paste -sd ' ' "$work/said")
  text="$name${text:+: $text} ($(seconds_since "$begin") s)"
  case $status in
    0) proved=$((proved + 1)); printf 'ok %s\n' "$text"; : >"$work/$name.proved" ;;
    77) left_out=$((left_out + 1)); printf 'left out %s\n' "$text" ;;
    *) failed=$((failed + 1)); printf 'failed %s\n' "$text"; tail -n 40 "$work/$name.log" >&2 ;;
  esac
}

# Ends a proof as left out unless another one was successful. needs NAME
needs() { [ -e "$work/$1.proved" ] || leave_out "$1 is missing"; }

# Prints the seconds since a value of EPOCHREALTIME, with one digit after the point.
seconds_since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'; }

# Prints a free TCP port of 127.0.0.1.
free_port() { /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Makes a minimal Debian 12 with its security updates: a folder, or an archive if the name ends with .tar.
# debian TARGET [PACKAGE…]
debian() {
  local target=$1 packages
  shift
  packages=$(IFS=, && printf '%s' "$*")
  mmdebstrap --quiet --mode=root --variant=minbase --include="ca-certificates${packages:+,$packages}" bookworm "$target" \
    ${DEPLOY_TEST_SOURCES:+"$DEPLOY_TEST_SOURCES"}
}

# Keeps the pid of a background process until the end of the test. later_end PID
later_end() { echo "$1" >>"$work/pids"; }

clean_up() {
  local pid
  if [ -e "$work/pids" ]; then
    while read -r pid; do kill -KILL "$pid" 2>/dev/null || true; done <"$work/pids"
  fi
  wait 2>/dev/null || true
  if [ -d "$work/storage" ]; then bud rm --all >/dev/null 2>&1 || true; fi
  # Never deletes through a mount that is left.
  if grep -q " $work/" /proc/self/mounts; then
    grep -o " $work/[^ ]*" /proc/self/mounts | sort -r | while read -r pid; do umount --lazy "$pid" || true; done
  fi
  if [ -n "${DEPLOY_TEST_KEEP:-}" ]; then
    say "the logs are in $work"
  else
    rm -rf --one-file-system "$work"
  fi
}

# buildah with a storage of its own.
bud() {
  local verb=$1
  shift
  buildah --storage-driver overlay --root "$work/storage" --runroot "$work/storage-run" "$verb" "$@"
}

# Starts a PostgreSQL of this machine's programs at 127.0.0.1 with a role and a database `waybill`, and sets $database_url.
start_postgres() {
  local bin=/usr/lib/postgresql/15/bin port folder=$work/postgres
  port=$(free_port)
  install -d -o postgres -g postgres -m 0700 "$folder"
  setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/initdb" -D "$folder/data" -E UTF8 -U postgres -A trust >/dev/null
  setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/postgres" -D "$folder/data" -p "$port" \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=250 >"$folder/log" 2>&1 &
  later_end $!
  until "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"; do sleep 0.1; done
  psql -q "postgresql://postgres@127.0.0.1:$port/postgres" -c 'create role waybill login' -c 'create database waybill owner waybill'
  database_url=postgresql://waybill@127.0.0.1:$port/waybill
}

# Waits until a command succeeds, at most 120 s. until_true COMMAND…
until_true() {
  local end=$((SECONDS + 120))
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "still not true: $*" >&2; return 1; }
    sleep 0.05
  done
}
