# Sums up test logs as one plain line: N passed, N failed, N skipped.
#
# Reads the output of `ctest -V` and of `node --test --test-reporter=tap`.
# A cmocka program counts with its own tests, any other ctest entry as one.
# Exits 1 when something failed or when no test ran at all.

# --- ctest: "12: " precedes what test number 12 printed
match($0, /^[0-9]+: \[  (PASSED |SKIPPED|FAILED ) \] [0-9]+ test/) {
    split($0, part, /[][]/)
    test = part[1] + 0
    count = part[3] + 0
    if (part[2] ~ /PASSED/) passed_in[test] += count
    if (part[2] ~ /SKIPPED/) skipped_in[test] += count
    if (part[2] ~ /FAILED/) failed_in[test] += count
    next
}
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/ {
    test = $0
    sub(/^[^#]*#/, "", test)
    test += 0
    own = passed_in[test] + skipped_in[test] + failed_in[test]
    passed += passed_in[test]
    skipped += skipped_in[test]
    failed += failed_in[test]
    if (/\*\*\*Skipped/) {
        if (!own) skipped++
    } else if (/\*\*\*|Not Run/) {
        if (!failed_in[test]) failed++ # crashed, timed out, or not cmocka
    } else if (!own) {
        passed++
    }
    delete passed_in[test]
    delete skipped_in[test]
    delete failed_in[test]
    next
}

# --- node:test, the totals that close a run
/^# pass [0-9]+$/ { passed += $3 }
/^# fail [0-9]+$/ { failed += $3 }
/^# cancelled [0-9]+$/ { failed += $3 }
/^# (skipped|todo) [0-9]+$/ { skipped += $3 }

END {
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
}
