#!/bin/sh
# Makes the Debian package of this machine's architecture in .build/package, and lets lintian look at it.
#
# Swift's own libraries are linked in; everything else comes from Debian, and the package depends on what the programs
# need. SWIFT and SWIFT_FLAGS choose the compiler, as in the Makefile.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
swift=${SWIFT:-swift}
# The loader resolves all symbols at the start and makes the tables read-only.
flags="-c release --static-swift-stdlib -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now ${SWIFT_FLAGS:-}"
made="$root/.build/package"
tree="$made/gatewayd"

cd "$root"
for program in gatewayd gatewayctl; do
  # shellcheck disable=SC2086 # one word for each flag
  "$swift" build $flags --product "$program"
done
# shellcheck disable=SC2086
built=$("$swift" build $flags --show-bin-path)

version=$("$built/gatewayd" version | cut -d ' ' -f 2)
packaged=$(dpkg-parsechangelog --file deploy/debian/changelog --show-field Version)
if [ "$version" != "$packaged" ]; then
  echo "package: gatewayd is $version, and deploy/debian/changelog ends at $packaged; add what has changed to it" >&2
  exit 1
fi

rm -rf "$made"
mkdir -p "$tree/bin" "$tree/man" "$tree/completions/bash" "$tree/completions/zsh" "$tree/completions/fish"
cp -r deploy/debian "$tree/debian"
cp deploy/gatewayd.service "$tree/debian/gatewayd.service"
cp deploy/gatewayd.socket "$tree/debian/gatewayd.socket"
cp deploy/sysusers.d/gatewayd.conf "$tree/debian/gatewayd.sysusers"
cp deploy/tmpfiles.d/gatewayd.conf "$tree/debian/gatewayd.tmpfiles"
cp config/gatewayd.toml "$tree/gatewayd.toml"
cp -r README.md ARCHITECTURE.md docs "$tree/"
mkdir "$tree/deploy"
cp -r deploy/README.md deploy/prometheus deploy/grafana "$tree/deploy/"
for program in gatewayd gatewayctl; do
  cp "$built/$program" "$tree/bin/"
  "$built/$program" generate "$program.bash" >"$tree/completions/bash/$program"
  "$built/$program" generate "_$program" >"$tree/completions/zsh/_$program"
  "$built/$program" generate "$program.fish" >"$tree/completions/fish/$program.fish"
done
"$built/gatewayd" generate gatewayd.8 >"$tree/man/gatewayd.8"
"$built/gatewayd" generate gatewayd.toml.5 >"$tree/man/gatewayd.toml.5"
"$built/gatewayctl" generate gatewayctl.1 >"$tree/man/gatewayctl.1"

cd "$tree"
dpkg-buildpackage --build=binary --no-sign --no-pre-clean
cd "$made"
lintian --tag-display-limit 0 --fail-on error --info gatewayd_*.changes
ls -l ./*.deb
