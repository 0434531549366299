#!/bin/sh
# The closing line of ./run test must tell the truth: feeds tally.awk logs of
# every kind and compares. Prints what differs and exits 1 when something does.
set -u
here=$(dirname "$0")
status=0

# expect "LINE" EXIT <<log
expect() {
    got=$(awk -f "$here/tally.awk")
    exit_code=$?
    if [ "$got" != "$1" ] || [ "$exit_code" != "$2" ]; then
        echo "expected '$1' (exit $2), got '$got' (exit $exit_code)"
        status=1
    fi
}

expect '3 passed, 0 failed, 1 skipped' 0 <<'LOG'
1: [  PASSED  ] 3 test(s).
1: [  SKIPPED ] 1 test(s), listed below:
 1/1 Test  #1: quantiles ..............   Passed    0.01 sec
LOG
expect '2 passed, 1 failed, 0 skipped' 1 <<'LOG'
1: [  PASSED  ] 2 test(s).
1: [  FAILED  ] 1 test(s), listed below:
1/1 Test  #1: quantiles ..............***Failed    0.01 sec
LOG
expect '0 passed, 1 failed, 0 skipped' 1 <<'LOG'
1: [==========] Running 3 test(s).
1/1 Test  #1: crashes ................***Exception: SegFault  0.01 sec
LOG
expect '1 passed, 0 failed, 1 skipped' 0 <<'LOG'
1/2 Test  #1: a_script ...............   Passed    0.01 sec
2/2 Test  #2: wants_shared ...........***Skipped   0.01 sec
LOG
expect '4 passed, 2 failed, 1 skipped' 1 <<'LOG'
1/1 Test  #1: a_script ...............   Passed    0.01 sec
# pass 3
# fail 1
# cancelled 1
# skipped 1
# todo 0
LOG
expect '0 passed, 0 failed, 0 skipped' 1 </dev/null
exit "$status"
