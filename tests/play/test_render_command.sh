#!/bin/sh
# test_render_command.sh JUMPCORE JUMPS CARDS: `jumpcore render` and `simulate` from the
# outside, and the example of docs/engine.md.
jumpcore=$1
jumps=$2
cards=$3
command -v sox >/dev/null 2>&1 || { echo "skipped: no sox"; exit 77; }
. "${0%/*}/../support/command.sh"
command=render

# refuse CODE TEXT ARGUMENT...: it fails with this code, saying TEXT, and writes nothing.
refuse() {
    expected=$1 text=$2
    shift 2
    rm -f new.wav
    run "$expected" "$@" && says "$text"
    absent new.wav
}
# number NAME: its value in the JSON that was printed.
number() { sed -n "s/.*\"$1\":[^0-9-]*\([-0-9.e+]*\).*/\1/p" out.txt | head -n 1; }

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
run 0 tone.wav --script one.txt -o a.wav --json
check "it is as long as the script" [ "$(soxi -s a.wav)" = 176400 ]
run 0 tone.wav --script one.txt -o b.wav
check "rendering again gives the same bytes" cmp a.wav b.wav
run 0 stereo.wav --script one.txt -o c.wav --block-frames 128

# A straight piece is the sample itself: the first slice, from frame 220 (the fade) to 5,000.
printf '0 jump 0\n1 end\n' >straight.txt
run 0 tone.wav --script straight.txt -o d.wav
sox d.wav -c 1 left.raw remix 1 trim 220s 4780s
sox tone.wav source.raw trim 220s 4780s
check "a straight piece equals the sample bit for bit" cmp left.raw source.raw

printf '0 pitch +12\n0 jump 0\n0.5 pitch -12\n1 end\n' >pitch.txt
printf '0 rate 2\n0 jump 0\n0.5 rate 0.5\n1 end\n' >rate.txt
run 0 tone.wav --script pitch.txt -o pitch.wav
run 0 tone.wav --script rate.txt -o rate.wav
check "a rate is a pitch" cmp pitch.wav rate.wav

# A card that takes 38 ms for every read: jumps to slices are on time, another one waits for
# the read in flight and for its own.
{ echo "# jumpcore-results: 1"; echo "time_us,latency_us,bytes,error"; } >results.txt
i=0
while [ $i -lt 50 ]; do echo "$((i * 10000)),38000,819," >>results.txt; i=$((i + 1)); done
printf '0 jump 0\n1 jump 5\n2 jump 9\n3 pos 1\n4 end\n' >late.txt
run 0 tone.wav --script late.txt -o e.wav --card results.txt --json
check "one jump is late" [ "$(number late)" = 1 ]
check "by no more than 8 blocks" [ "$(number late_max_blocks)" -le 8 ]
run 0 tone.wav --script late.txt -o f.wav --card results.txt --strategy blocking --json
check "read in the callback every block has a gap" [ "$(number gaps)" -ge 90 ]

# A device's trace: of this sample and engine, with its commands, up to its end. Its reads are
# tested where there is a device: tests/firmware.
bytes=$(wc -c <tone.wav)
load="jc-trace load 1 $bytes 529200 1 1 44100 441 220 16 2304 0 4096 1 4 8"
printf '> %s\n' "$load" "jc-trace do @441 v1 jump 3" "jc-trace end 100" >trace.log
run 0 tone.wav --trace trace.log -o g.wav
check "it is as long as the trace" [ "$(soxi -s g.wav)" = 44100 ]
refuse 1 "holds no 'jc-trace' line" tone.wav --trace results.txt -o new.wav
refuse 1 "of another sample" stereo.wav --trace trace.log -o new.wav
refuse 1 "ends at frame 44100" tone.wav --trace trace.log --script one.txt -o new.wav
refuse 2 "only --script" tone.wav --trace trace.log --voices 2 -o new.wav
printf '%s\n' "$load" "jc-trace do @441 v1 jump 3" "jc-trace read 0 5 2 9 77 8 0" "jc-trace end 100" >trace.log
refuse 1 "from read 1 on (0.00 s) the device did something else" tone.wav --trace trace.log -o new.wav

# refuse_script TEXT SCRIPT: read from standard input.
refuse_script() {
    printf "$2" >script.txt
    refuse 1 "$1" tone.wav --script - -o new.wav <script.txt
}
refuse_script 'line 1: there is no command' '0 hop 1\n'
refuse_script 'the slice must be 0 to 15' '0 jump 16\n'
refuse_script 'lies before' '1 jump 1\n0 jump 1\n'
refuse_script 'control character' '0 jump\0011\n'
refuse_script 'it has no command' ''
refuse_script 'control character' '0 jump 1\000 and more\n'
refuse_script 'UTF-16; save it as UTF-8' '\377\3760\000 \000'
printf '\357\273\2770 jump 0\r\n1 end\r\n' >notepad.txt
run 0 tone.wav --script notepad.txt -o notepad.wav
says '1 jump sounded, none late; no voice ran dry'
check "a byte order mark and CRLF change nothing" cmp notepad.wav d.wav
refuse 1 "'.' cannot be read: it is a directory" . --script one.txt -o new.wav
refuse 1 "the script '.' cannot be played: it is a directory" tone.wav --script . -o new.wav
refuse 2 'reads nothing ahead' tone.wav --script one.txt -o new.wav --strategy blocking --head-frames 0
printf '# jumpcore-results: 1\ntime_us,latency_us,bytes,error\n0,4294967295,819,\n' >huge.csv
run 0 tone.wav --script notepad.txt -o huge.wav --card huge.csv --strategy blocking
says '1 gap, the longest 1000.0 ms'
run 0 stereo.wav --script notepad.txt -o fast.wav --rate 8000 --block-frames 512 --window-frames 1024
says 'give --window-frames or --rate more'
refuse 1 'cannot be read' missing.wav --script one.txt -o new.wav
refuse 1 'cannot be played' one.txt --script one.txt -o new.wav
refuse 1 'cannot be used' tone.wav --script one.txt -o new.wav --card one.txt
refuse 2 'give one SAMPLE' tone.wav -o new.wav
refuse 2 'block-frames takes' tone.wav --script one.txt -o new.wav --block-frames 63

command=simulate
run 0 "$cards/lexar_a1_32gb_hc1_v10.csv" --hours 0.1 --json
check "two strategies are played" [ "$(grep -c '"strategy"' out.txt)" = 2 ]
cp out.txt first.txt
run 0 "$cards/lexar_a1_32gb_hc1_v10.csv" --hours 0.1 --json
check "simulating again gives the same figures" cmp out.txt first.txt
lexar=$cards/lexar_a1_32gb_hc1_v10.csv
pny=$cards/pny_32gb_elite_hc1.csv
# last TEXT: the last line has it.
last() { check "the last line has '$1'" sh -c 'tail -n 1 out.txt | grep -qF -- "$1"' - "$1"; }
run 0 "$lexar" --strategy engine
last 'It will do: Lexar 32 GB A1 V10, 1 voice, blocks of 441, with the engine: no dropout in 3 hours, which means at most 1 an hour.'
run 0 "$lexar" --hours 0.01
last 'Unproven: Lexar 32 GB A1 V10, 1 voice, blocks of 441, with the engine: 0 dropouts in 36 s prove little: up to 300 an hour; play --hours 3.'
says '36 s of playing: read in the callback'
run 0 "$lexar" --hours 0.01 --pitch -12,+12
last '2 of 2 may do with the engine (0 dropouts in 36 s each prove little: up to 300 an hour; play --hours 3).'
# One read of 40 ms in twenty of 0.4 ms: 14 ms of head are not enough, 60 ms are.
{ echo "# jumpcore-results: 1"; echo "# card: Slow"; echo "time_us,latency_us,bytes,error"; } >slow.csv
i=0
while [ $i -lt 40 ]; do
    echo "$((i * 50000)),$((i % 20 == 19 ? 40000 : 400)),819,"
    i=$((i + 1))
done >>slow.csv
run 0 slow.csv --strategy engine --hours 0.01 --head-ms 14,60
last '1 of 2 may do with the engine'
last 'Not Slow, 1 voice, blocks of 441, heads of 14 ms:'
last 'bytes of RAM; an RP2040 has 176,128)'
run 0 slow.csv --strategy engine --hours 0.01 --head-ms 14 --window-frames 4096
last '--head-ms 60 without --window-frames'
run 0 slow.csv --strategy engine --hours 0.01 --ram 60000 --voices 1
last 'try --ram '
ram=$(sed -n 's/.*try --ram \([0-9]*\).*/\1/p' out.txt)
head_ms=$(sed -n 's/.*try --ram [0-9]* (heads of \([0-9]*\) ms.*/\1/p' out.txt)
run 0 slow.csv --strategy engine --hours 0.01 --ram "$ram" --json
check "the RAM it advises holds the heads it names" [ "$(number head_frames)" -ge "$((head_ms * 441 / 10))" ]
check "and no more" [ "$(number arena_bytes)" -le "$ram" ]
# What was measured is all that can be proved.
row() { printf '%s\n' "$1" >>"$card.csv"; }
for card in one errs forty; do
    printf '# jumpcore-results: 1\n# card: %s\ntime_us,latency_us,bytes,error\n' $card >$card.csv
done
card=one && row 0,400,819,
card=errs && row 0,400,819, && row 1000,0,819,crc
card=forty && row 0,40000,819,
run 0 one.csv --strategy engine
last '0 dropouts in 3 hours prove little, as 1 read was played again and again: up to '
last ' an hour; measure about 19'
run 0 errs.csv --hours 0.1
last 'It will not do: errs, 1 voice, blocks of 441, with the engine: 1 of 2 reads failed when it was measured.'
says 'only those that worked are played'
run 0 forty.csv --hours 0.1
last 'with the engine: silent 9.6 % of the time, the longest of 28 ms; as a guess, try --head-ms 90'
run 0 huge.csv one.csv --hours 0.01 --strategy engine
last '1 of 2 may do'
last 'Not huge, 1 voice, blocks of 441: silent 100 % of the time'
run 0 one.csv --hours 0.01 --head-ms 52.24 --strategy engine --json
check "milliseconds are rounded to frames" [ "$(number head_frames)" = 2304 ]
run 0 one.csv errs.csv --hours 0.01
last '1 of 2 may do with the engine ('
last '). Not errs, 1 voice, blocks of 441: 1 of 2 reads failed'
run 0 "$pny" --hours 0.5 --voices 1,8 --strategy engine
last 'of RAM, more than the 176,128 of an RP2040) or fewer voices'
check "or which will not, and what to try" \
    sh -c 'tail -n 1 out.txt | grep -q "^1 of 2 may do.*Not PNY.*8 voices.*try --head-ms"'
run 0 "$pny" --hours 0.05 --voices 8 --channels 2 --ram 176128 --json
check "eight stereo voices fit into the device" [ "$(number arena_bytes)" -le 176128 ]
check "and no head is shorter than two blocks" [ "$(number head_frames)" -ge 882 ]
refuse 2 'too little for 8 voices and blocks of 441: at least ' --voices 8 --channels 2 --ram 100000 x
refuse 2 'leave --window-frames out' --ram 176128 --window-frames 4096 x
refuse 1 'nothing was simulated' missing.csv
refuse 2 'block-frames takes' --block-frames 441,63 x
refuse 2 'leave --head-ms out' --ram 176128 --head-ms 50 x
refuse 2 'leave --ram out' --strategy blocking --ram 176128 x
refuse 2 'give --plot FILE' --dark x
refuse 2 'from -24 to 24' --pitch 25 x
refuse 2 'give at least 1835' --window-frames 1024 --pitch 24 x
refuse 2 'give --head-ms at most 341' --rate 192000 --head-ms 1000 x
run 0 slow.csv --window-frames 1024 --head-ms 14 --hours 0.01
run 0 slow.csv --window-frames 1835 --pitch 24 --hours 0.01
refuse 2 'give at least one CARD'

"$jumps" tone.wav >out.raw
check "the example plays ten seconds" [ "$(wc -c <out.raw)" = 1764000 ]
"$jumps" stereo.wav >out.raw
check "in stereo, too" [ "$(wc -c <out.raw)" = 1764000 ]
finish
