#!/bin/bash
# Shows what the gateway does: starts it with simulated devices, sends real pushes, prints what became of each, and keeps
# serving until Ctrl-C.
#
#   Scripts/run-demo.sh [--once] [--directory DIR] [--binaries DIR]
#
#   --once           end after the table
#   --directory DIR  the setup, made when it is not there and never overwritten (run)
#   --binaries DIR   where gatewayd and gatewayctl are (.build/release)
set -euo pipefail
cd "$(dirname "$0")/.."

directory=run
binaries=.build/release
keeps_serving=true
app=com.example.caffeine

misused() {
  echo "run-demo: $*; Scripts/run-demo.sh [--once] [--directory DIR] [--binaries DIR]" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --once) keeps_serving=false ;;
    --directory | --binaries)
      [ -n "${2:-}" ] || misused "$1 needs a folder"
      if [ "$1" = --directory ]; then directory=$2; else binaries=$2; fi
      shift
      ;;
    *) misused "unknown option $1" ;;
  esac
  shift
done

config=$directory/gatewayd.toml
log=$directory/gatewayd.log         # what the gateway says
devices=$directory/devices.log      # what the simulated devices say
pushes=$directory/pushes.json       # what was answered to each push, a line each
gateway=""
simulations=()
display=""

ctl() { "$binaries/gatewayctl" --config "$config" "$@"; }
say() { printf '\n== %s\n' "$*"; }

fail() {
  echo "run-demo: $*" >&2
  exit 1
}

# Devices first, so that they can say goodbye; then the gateway drains.
finish() {
  local status=$?
  trap '' INT TERM HUP
  if [ ${#simulations[@]} -gt 0 ]; then
    kill "${simulations[@]}" 2>/dev/null || true
    wait "${simulations[@]}" || true
  fi
  if [ -n "$gateway" ]; then
    kill "$gateway" 2>/dev/null || true
    wait "$gateway" || status=$?
  fi
  if [ -n "$display" ]; then
    kill "$display" 2>/dev/null || true
    wait "$display" 2>/dev/null || true
  fi
  [ -z "$gateway" ] || echo "Everything has ended; $directory keeps its state for the next time."
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# wait_until WHAT PID LOG COMMAND…: as long as the process lives, and at most a minute.
wait_until() {
  local what=$1 process=$2 said=$3 tries=0
  shift 3
  until "$@" >/dev/null 2>&1; do
    if ! kill -0 "$process" 2>/dev/null; then
      tail -n 5 "$said" >&2
      fail "$what has ended at once; see above, or $said"
    fi
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "$what did not come up within a minute; see $said"
    sleep 0.1
  done
}

is_busy() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# The standard port, or else the next of a row that nobody listens on.
free_port() {
  local port=$1
  while is_busy "$port"; do
    port=$((port + 10000))
    [ "$port" -le 65535 ] || fail "port $1 is in use, and so are those above it that were tried"
  done
  [ "$port" = "$1" ] || echo "Port $1 is in use; this gateway gets $port." >&2
  echo "$port"
}

make_setup() {
  local provider production device admin
  provider=$(free_port 2197)
  production=$(free_port 2198)
  device=$(free_port 5223)
  admin=$(free_port 9197)
  "$binaries/gatewayd" init --directory "$directory" --bundle-id "$app" --provider-port "$provider" \
    --production-port "$production" --device-port "$device" --admin-port "$admin"
  cat >>"$config" <<'TOML'

# For the demonstration: two refreshes at once, then one every twenty seconds, so that one sees a budget come back.
[[budget.override]]
bundle-id = "com.example.caffeine"
refreshes-per-day = 4322
burst = 2
TOML
}

# simulate NAME OPTION…: a device in the background. In a session of its own, since Ctrl-C is for this script alone.
simulate() {
  local name=$1
  shift
  setsid "$binaries/gatewayctl" --config "$config" simulate --bundle-id "$app" --name "$name" "$@" \
    >>"$devices" 2>&1 </dev/null &
  simulations+=($!)
}

# token_of NAME: once the device has registered.
token_of() { sed -n "s/^[0-9:.]*  $1  .*, token \([0-9a-f]*\)\$/\1/p" "$devices" | grep .; }

# push NAME TOKEN OPTION…; a refusal is an answer too.
push() { ctl push "$2" --bundle-id "$app" --name "$1" --json "${@:3}" >>"$pushes" || [ $? -eq 1 ]; }

[ -x "$binaries/gatewayd" ] || fail "no $binaries/gatewayd: make build"

if [ -e "$config" ]; then
  say "the setup in $directory is reused"
  ! ctl status >/dev/null 2>&1 || fail "a gateway of $directory runs already: end it, or choose another --directory"
else
  say "a development setup in $directory"
  make_setup
fi

say "the gateway"
setsid "$binaries/gatewayd" serve --config "$config" >"$log" 2>&1 </dev/null &
gateway=$!
wait_until "the gateway" "$gateway" "$log" ctl status
ctl status

say "four devices"
: >"$devices"
: >"$pushes"
tail -n +1 -f "$devices" 2>/dev/null &
display=$!
simulate phone --widgets 2
simulate in-use --widgets 1 --foreground
simulate in-dev --widgets 1 --developer-mode
simulate away --widgets 1 --away 30s
for index in 0 1 2 3; do
  name=$(printf '%s\n' phone in-use in-dev away | sed -n "$((index + 1))p")
  wait_until "$name" "${simulations[index]}" "$devices" token_of "$name"
done
phone=$(token_of phone)
in_use=$(token_of in-use)
in_dev=$(token_of in-dev)
away=$(token_of away)

say "pushes: four to the phone, whose widgets may refresh twice at once; then to the others"
for name in first second third fourth; do push "$name" "$phone"; done
push "in use" "$in_use"
for name in "dev 1" "dev 2" "dev 3"; do push "$name" "$in_dev"; done
push "now or never" "$away" --expiration 0
push "can wait" "$away"
push "wrong body" "$phone" --payload '{"aps":{"content-available":1}}'
sleep 0.5 # for the last receipts, and for the lines of the devices to be on the screen before the table

say "what became of them, by gatewayctl explain --pushes $pushes"
ctl explain --pushes "$pushes"
echo

if $keeps_serving; then
  echo "== serving until Ctrl-C"
  cat <<TEXT
What is deferred comes as soon as its budget or its device is back; watch. To push yourself, paste this into another
shell in $PWD (it makes a provider token that is good for an hour, each time it runs):

$(ctl push "$in_dev" --bundle-id "$app" --curl)

That device has developer mode on. Push to the phone in the same way, and its budget has a word in it:

$binaries/gatewayctl --config $config push $phone
$binaries/gatewayctl --config $config explain $phone --table --last 3

TEXT
  trap 'exit 0' INT TERM HUP
  status=0
  wait "$gateway" || status=$?
  tail -n 5 "$log" >&2
  gateway=""
  fail "the gateway has ended with $status"
fi
