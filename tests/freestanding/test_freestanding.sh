#!/bin/sh
# Shows that freestanding.sh can fail: each flaw below must be found and named,
# and flawless code must pass.
set -eu
check=$(dirname "$0")/freestanding.sh
compiler=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
failures=0

# expect PATTERN SOURCE: what the check must say about this source.
expect() {
    echo "$2" >"$work/probe.c"
    said=$(sh "$check" "$compiler" "$work" 2>&1) && passed=yes || passed=no
    case "$1:$passed" in passes:yes) return 0 ;; passes:no | *:yes) ;; *)
        echo "$said" | grep -q "$1" && return 0 ;;
    esac
    echo "expected '$1' for: $2"
    echo "got: $said"
    failures=$((failures + 1))
}

expect passes 'struct jc_s { char bytes[9999]; int i; };
               static const int TABLE[] = {1, 2};
               int jc_f(struct jc_s *a, const struct jc_s *b);
               int jc_f(struct jc_s *a, const struct jc_s *b) { *a = *b; return TABLE[a->i & 1]; }'
expect 'does not have: sqrt' 'double sqrt(double x); double jc_f(double x);
                              double jc_f(double x) { return sqrt(x); }'
expect 'has variables: jc_v' 'int jc_v = 3;'
expect 'has variables: .*count' 'int jc_f(void); int jc_f(void) { static int count; return count++; }'
expect 'writable sections: .tbss' 'static _Thread_local int v; int *jc_f(void); int *jc_f(void) { return &v; }'
expect 'jc_: helper' 'int helper(void); int helper(void) { return 1; }'

rm "$work/probe.c"
if sh "$check" "$compiler" "$work" >/dev/null 2>&1; then
    echo "expected a complaint about a folder without sources"
    failures=$((failures + 1))
fi
exit $failures
