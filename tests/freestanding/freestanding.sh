#!/bin/sh
# freestanding.sh CC CORE_DIRECTORY: compiles every source of core/ without a C
# library, links them into one object, and fails unless that object
#   - needs nothing from outside but memcpy, memmove, memset and memcmp, which
#     every freestanding compiler may call,
#   - has no variables (.data, .bss, thread-local or common),
#   - exports only names that begin with jc_.
set -eu
compiler=$1
core=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find "$core" -name '*.c' | sort >"$work/sources"
[ -s "$work/sources" ] || { echo "there are no sources in $core"; exit 1; }
number=0
while read -r source; do
    number=$((number + 1))
    "$compiler" -std=c11 -O2 -ffreestanding -nostdlib -fno-pic -fno-stack-protector \
        -I "$core/include" -c "$source" -o "$work/$number.o"
done <"$work/sources"
"$compiler" -r -nostdlib -o "$work/core.o" "$work"/[0-9]*.o

nm --undefined-only "$work/core.o" | awk '{print $NF}' |
    grep -vxE 'memcpy|memmove|memset|memcmp' >"$work/undefined" || true
nm --defined-only "$work/core.o" | awk '$2 ~ /^[BbCDdGgSs]$/ {print $3}' >"$work/variables"
nm --defined-only --extern-only "$work/core.o" | awk '$3 !~ /^jc_/ {print $3}' >"$work/foreign"
# Catches what has no symbol of its own.
size -A "$work/core.o" | awk '/^\.(data|bss|tdata|tbss)/ && $2 > 0 {print $1}' >"$work/sections"

result=0
complain() {
    [ -s "$work/$1" ] || return 0
    echo "core/ $2:" $(cat "$work/$1")
    result=1
}
complain undefined "needs functions that a freestanding program does not have"
complain variables "has variables"
complain sections "has writable sections"
complain foreign "exports names that do not begin with jc_"
[ $result -ne 0 ] || echo "$number sources: no library, no variables, only jc_ names"
exit $result
