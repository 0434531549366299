#!/bin/sh
# No command replaces a file that exists unless it is told --force; and says so
# before it begins to work.
# usage: test_outputs.sh JUMPCORE
jumpcore=$1
. "${0%/*}/../support/command.sh"

awk 'BEGIN {
    print "# jumpcore-results: 1\n# card: Test card\ntime_us,latency_us,bytes,error"
    for (i = 0; i < 2000; i++) print i * 2000 "," 400 + i % 100 ",819,0"
}' >card.csv
head -c 65536 /dev/zero >medium.img
# a second of silence, 16 bits, mono, 44,100 Hz
{
    printf 'RIFF\254\130\001\000WAVEfmt \020\000\000\000\001\000\001\000'
    printf '\104\254\000\000\210\130\001\000\002\000\020\000data\210\130\001\000'
    head -c 88200 /dev/zero
} >silence.wav
printf '0 jump 0\n0.1 end\n' >script.txt

# spares OUTPUT ARGUMENT...: a command that writes OUTPUT, and nothing else.
spares() {
    output=$1
    shift
    echo precious >"$output"
    run 1 "$@" </dev/null && says "it exists; use --force to replace it" && says "'$output'"
    check "nothing was done" [ ! -s out.txt ]
    check "$output is as it was" [ "$(cat "$output")" = precious ]
    run 0 "$@" --force </dev/null
    check "$output is new" sh -c '[ -s "$1" ] && [ "$(head -c 8 "$1")" != precious ]' - "$output"
    rm "$output"
    run 0 "$@" </dev/null
    check "$output is made" [ -s "$output" ]
    run 0 "${1}" --help && says "replace existing files"
}
spares kept.csv bench medium.img --reads 10 -o kept.csv
spares kept.csv model card.csv -o kept.csv
spares kept.wav render silence.wav --script script.txt -o kept.wav
spares kept.svg report card.csv --plot kept.svg
spares kept.html report card.csv --html kept.html
spares kept.svg simulate card.csv --hours 0.01 --plot kept.svg

# With two outputs, either of them counts.
echo precious >kept.html
run 1 report card.csv --plot new.svg --html kept.html
absent new.svg
check "the page is as it was" [ "$(cat kept.html)" = precious ]

# A pipe is no file to be replaced.
"$jumpcore" model card.csv -o /dev/stdout | cat >out.txt
says "# jumpcore-card-model: 1"
finish
