#!/bin/sh
# Puts TinyUSB's sources under DIRECTORY/usr/src/tinyusb, from Debian's package
# tinyusb-source. Debian 12 does not have it yet: then the package comes from the
# next release on the mirror that this machine uses already, through lists of its
# own, so that the system's configuration stays untouched.
#
# usage: fetch_tinyusb.sh DIRECTORY
set -eu
SUITE=trixie
target=$1
[ -f "$target/usr/src/tinyusb/src/tusb.h" ] && exit 0
mkdir -p "$target"
if [ -f /usr/src/tinyusb/src/tusb.h ]; then
    mkdir -p "$target/usr/src"
    ln -sfn /usr/src/tinyusb "$target/usr/src/tinyusb"
    exit 0
fi

work=$(cd "$target" && pwd)/apt
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 'Component: main' |
    sort -u | grep -v -- -security | head -n 1)
[ -n "$mirror" ] || { echo "fetch_tinyusb.sh: apt knows no Debian mirror; install tinyusb-source by hand" >&2; exit 1; }
echo "deb $mirror $SUITE main" >"$work/sources.list"
own="-o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=/dev/null
     -o Dir::State::lists=$work/lists -o Dir::Cache=$work/cache -o APT::Sandbox::User=root"
# shellcheck disable=SC2086
apt-get $own -qq update
# shellcheck disable=SC2086
(cd "$work" && apt-get $own -qq download tinyusb-source)
dpkg -x "$work"/tinyusb-source_*.deb "$target"
rm -rf "$work"
