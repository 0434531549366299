#!/bin/sh
# test_render_command.sh JUMPCORE JUMPS CARDS: `jumpcore render` and `simulate` from the
# outside, and the example of docs/engine.md.
set -eu
jumpcore=$1
jumps=$2
cards=$3
command -v sox >/dev/null 2>&1 || { echo "skipped: no sox"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# expect SENTENCE COMMAND...: the command succeeds.
expect() {
    sentence=$1
    shift
    if "$@" >out 2>err; then echo "ok: $sentence"; else
        echo "NOT OK: $sentence"; cat out err; failed=1
    fi
}

# refuse CODE TEXT COMMAND...: it fails with this code, saying TEXT, and writes nothing.
refuse() {
    code=$1 text=$2
    shift 2
    rm -f new.wav
    got=0
    "$@" >out 2>err || got=$?
    if [ "$got" = "$code" ] && grep -q -- "$text" err && [ ! -e new.wav ]; then echo "ok: refused: $text"; else
        echo "NOT OK: exit $got, expected $code and '$text'"; cat err; failed=1
    fi
}

same() { cmp -s "$1" "$2"; }
number() { sed -n "s/.*\"$1\":[^0-9-]*\([-0-9.e+]*\).*/\1/p" out | head -n 1; }

sox -n -r 44100 -b 16 -c 1 tone.wav synth 12 sine 200:2000 gain -6
sox -n -r 48000 -b 24 -c 2 stereo.wav synth 3 sine 300 sine 400 gain -6

cat >one.txt <<'SCRIPT'
0.0   jump 0
0.5   jump 7      # a comment
1.0   pos 2.25
1.5   pitch +7
2     loop forward 1000 23050
3     v1 gain -6 50
3.5   reverse on
@176400 end
SCRIPT
expect "a script is rendered" "$jumpcore" render tone.wav --script one.txt -o a.wav --json
[ "$(soxi -s a.wav)" = 176400 ] || { echo "NOT OK: length $(soxi -s a.wav)"; failed=1; }
expect "rendering again gives the same bytes" "$jumpcore" render tone.wav --script one.txt -o b.wav
same a.wav b.wav || { echo "NOT OK: two renderings differ"; failed=1; }
expect "stereo, 24 bits, 48 kHz" "$jumpcore" render stereo.wav --script one.txt -o c.wav --block-frames 128

# A straight piece is the sample itself: the first slice, from frame 220 (the fade) to 5,000.
printf '0 jump 0\n1 end\n' >straight.txt
expect "a straight piece is rendered" "$jumpcore" render tone.wav --script straight.txt -o d.wav
sox d.wav -c 1 left.raw remix 1 trim 220s 4780s
sox tone.wav source.raw trim 220s 4780s
expect "it equals the sample bit for bit" cmp left.raw source.raw

# A card that takes 38 ms for every read: jumps to slices are on time, another one waits for
# the read in flight and for its own.
{ echo "# jumpcore-results: 1"; echo "time_us,latency_us,bytes,error"; } >results.txt
i=0
while [ $i -lt 50 ]; do echo "$((i * 10000)),38000,819," >>results.txt; i=$((i + 1)); done
printf '0 jump 0\n1 jump 5\n2 jump 9\n3 pos 1\n4 end\n' >late.txt
expect "a slow card is played" "$jumpcore" render tone.wav --script late.txt -o e.wav --card results.txt --json
[ "$(number late)" = 1 ] || { echo "NOT OK: $(number late) late jumps, expected 1"; failed=1; }
[ "$(number late_max_blocks)" -le 8 ] || { echo "NOT OK: too late"; failed=1; }
expect "blocking has a gap in every block" "$jumpcore" render tone.wav --script late.txt -o f.wav --card results.txt --strategy blocking --json
[ "$(number gaps)" -ge 90 ] || { echo "NOT OK: $(number gaps) gaps"; failed=1; }

refuse 1 'line 1: there is no command' sh -c "echo '0 hop 1' | '$jumpcore' render tone.wav --script - -o new.wav"
refuse 1 'the slice must be 0 to 15' sh -c "echo '0 jump 16' | '$jumpcore' render tone.wav --script - -o new.wav"
refuse 1 'lies before' sh -c "printf '1 jump 1\n0 jump 1\n' | '$jumpcore' render tone.wav --script - -o new.wav"
refuse 1 'it has no command' sh -c "'$jumpcore' render tone.wav --script - -o new.wav </dev/null"
refuse 1 'control character' sh -c "head -c 1000 '$jumpcore' | '$jumpcore' render tone.wav --script - -o new.wav"
refuse 1 'cannot be read' "$jumpcore" render missing.wav --script one.txt -o new.wav
refuse 1 'cannot be played' "$jumpcore" render one.txt --script one.txt -o new.wav
refuse 1 'cannot be used' "$jumpcore" render tone.wav --script one.txt -o new.wav --card one.txt
refuse 2 'give one SAMPLE' "$jumpcore" render tone.wav -o new.wav
refuse 2 'block-frames takes' "$jumpcore" render tone.wav --script one.txt -o new.wav --block-frames 63

expect "a card is simulated" "$jumpcore" simulate "$cards/lexar_a1_32gb_hc1_v10.csv" --hours 0.1 --json
[ "$(grep -c '"strategy"' out)" = 2 ] || { echo "NOT OK: not two strategies"; failed=1; }
cp out first
expect "and again" "$jumpcore" simulate "$cards/lexar_a1_32gb_hc1_v10.csv" --hours 0.1 --json
same out first || { echo "NOT OK: two simulations differ"; failed=1; }
refuse 1 'nothing was simulated' "$jumpcore" simulate missing.csv
refuse 2 'block-frames takes' "$jumpcore" simulate --block-frames 441,63 x
refuse 2 'such an engine cannot be' "$jumpcore" simulate --window-frames 1024 x
refuse 2 'give at least one CARD' "$jumpcore" simulate

expect "the example plays ten seconds" sh -c "'$jumps' tone.wav >out.raw && [ \$(wc -c <out.raw) = 1764000 ]"
exit $failed
