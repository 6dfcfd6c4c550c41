#!/bin/sh
# Installs what this project needs on Debian 12 and what is missing, and nothing else; does nothing when all is there.
#
#   Scripts/bootstrap.sh [build] [run] [test] [bench] [package] [systemd]      the groups to see to; without one: build
#
# Swift itself is not a Debian package: its absence is named, not mended.
set -eu

minimum_swift=6.3
groups="${*:-build}"

# The last three of `build` are what a bare system lacks to run Swift and its linker.
# group | Debian package | how its presence shows: pc:<pkg-config module>, cmd:<program>, py:<Python module>, deb
needed() {
  cat <<'TABLE'
build|make|cmd:make
build|pkg-config|cmd:pkg-config
build|libnghttp2-dev|pc:libnghttp2
build|libssl-dev|pc:openssl
build|libsqlite3-dev|pc:sqlite3
build|libsystemd-dev|pc:libsystemd
build|libmicrohttpd-dev|pc:libmicrohttpd
build|libtomlplusplus-dev|pc:tomlplusplus
build|libcurl4-openssl-dev|pc:libcurl
build|libstdc++-12-dev|deb
build|binutils|cmd:ld.gold
build|libncurses6|deb
run|curl|cmd:curl
test|python3|cmd:python3
test|python3-venv|py:ensurepip
test|curl|cmd:curl
test|openssl|cmd:openssl
test|nghttp2-client|cmd:nghttp
test|nodejs|cmd:node
bench|python3|cmd:python3
bench|python3-venv|py:ensurepip
bench|nghttp2-client|cmd:h2load
bench|nghttp2-server|cmd:nghttpd
package|debhelper|cmd:dh
package|dpkg-dev|cmd:dpkg-buildpackage
package|lintian|cmd:lintian
systemd|debootstrap|cmd:debootstrap
systemd|systemd-container|cmd:systemd-nspawn
TABLE
}

fail() {
  echo "bootstrap: $*" >&2
  exit 1
}

# Shows what a command said only if it failed.
quietly() {
  said=$(mktemp)
  if "$@" >"$said" 2>&1 </dev/null; then
    rm -f "$said"
  else
    cat "$said" >&2
    rm -f "$said"
    fail "failed: $*"
  fi
}

is_installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The package first; then the thing itself, which may well have come another way.
is_present() {
  if is_installed "$1"; then return 0; fi
  case $2 in
    pc:*) command -v pkg-config >/dev/null && pkg-config --exists "${2#pc:}" ;;
    cmd:*) PATH="$PATH:/usr/sbin:/sbin" command -v "${2#cmd:}" >/dev/null ;;
    py:*) command -v python3 >/dev/null && python3 -c "import ${2#py:}" 2>/dev/null ;;
    *) return 1 ;;
  esac
}

check_swift() {
  mend="install Swift $minimum_swift for Debian 12 from https://www.swift.org/install/linux/ and put its usr/bin on PATH"
  command -v swift >/dev/null || fail "no swift found; $mend"
  found=$(swift --version 2>/dev/null </dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
  [ -n "$found" ] || fail "swift does not run ($(swift --version 2>&1 </dev/null | head -n 1)); $mend"
  oldest=$(printf '%s\n%s\n' "$minimum_swift" "$found" | sort -V | head -n 1)
  [ "$oldest" = "$minimum_swift" ] || fail "swift is $found, and $minimum_swift is needed; $mend"
}

for group in $groups; do
  case $group in
    build | run | test | bench | package | systemd) ;;
    *) fail "no such group: $group; there are build, run, test, bench, package and systemd" ;;
  esac
done

missing=""
for group in $groups; do
  for line in $(needed | grep "^$group|"); do
    package=$(echo "$line" | cut -d '|' -f 2)
    sign=$(echo "$line" | cut -d '|' -f 3)
    case " $missing " in *" $package "*) continue ;; esac
    is_present "$package" "$sign" || missing="${missing:+$missing }$package"
  done
done

if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || fail "missing: $missing; there is no apt-get here, so install these in your system's way"
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "missing: $missing; run as root: apt-get install $missing"
    as_root="sudo"
  fi
  echo "bootstrap: missing: $missing"
  echo "bootstrap: ${as_root:+$as_root }apt-get update && ${as_root:+$as_root }apt-get install --no-install-recommends $missing"
  quietly $as_root apt-get update
  # shellcheck disable=SC2086 # one word for each package
  quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $missing
fi

check_swift
