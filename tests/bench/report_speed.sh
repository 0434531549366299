#!/bin/sh
# `jumpcore report` on a results file of ROWS reads, beside an awk script that
# only counts, takes the median and the maximum, one after the other. Both must
# come to the same figures.
# usage: report_speed.sh BUILD_DIRECTORY [ROWS]
set -eu
build=$1
rows=${2:-10000000}
work=$(mktemp -d "$build/bench-XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

"$build/tests/make_results" "$rows" >"$work/results.csv"
cat >"$work/figures.awk" <<'EOT'
BEGIN { FS = "," }
/^[0-9]/ { count++; seen[$2]++; if ($2 + 0 > max) max = $2 + 0 }
END {
    low = int((count + 1) / 2); high = int(count / 2) + 1
    for (us = 0; us <= max; us++) {
        if (!(us in seen)) continue
        before = below; below += seen[us]
        if (before < low && low <= below) a = us
        if (before < high && high <= below) b = us
    }
    printf "%d %g %d\n", count, (a + b) / 2, max
}
EOT

cat "$work/results.csv" >/dev/null # both find it in the page cache
"$build/tests/spent" "$build/jumpcore" report --json "$work/results.csv" \
    >"$work/report.json" 2>"$work/report.spent"
"$build/tests/spent" awk -f "$work/figures.awk" "$work/results.csv" \
    >"$work/awk.figures" 2>"$work/awk.spent"

# The value of a key of the one object in report.json, on one line or many.
value() { tr -d '\n\t ' <"$work/report.json" | sed "s/.*\"$1\":\([0-9.]*\).*/\1/"; }
figures="$(value reads) $(value median_us) $(value max_us)"
size=$(wc -c <"$work/results.csv")

printf '%s rows, %s MB, the same run on %s\n\n' "$rows" "$((size / 1000000))" \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
printf '%-32s %8s %6s %9s\n' '' seconds CPU 'peak MB'
row() {
    read -r seconds cpu memory <"$2"
    printf '%-32s %8s %6s %9s\n' "$1" "$seconds" "$cpu" "$memory"
}
row 'jumpcore report (everything)' "$work/report.spent"
row "$(basename "$(readlink -f "$(command -v awk)")"), count, median, max" "$work/awk.spent"

if [ "$figures" != "$(cat "$work/awk.figures")" ]; then
    echo "the figures differ: jumpcore '$figures', awk '$(cat "$work/awk.figures")'" >&2
    exit 1
fi
printf '\nboth: count, median, max = %s\n' "$figures"
