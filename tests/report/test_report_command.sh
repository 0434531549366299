#!/bin/sh
# `jumpcore report` from the outside: what it says, its exit codes, its files.
# usage: test_report_command.sh JUMPCORE REPOSITORY
jumpcore=$1
cards=$2/cards
. "${0%/*}/../support/command.sh"
command=report
export LC_ALL=C.UTF-8

results() { printf '# jumpcore-results: 1\n# card: %s\ntime_us,latency_us,bytes,error\n' "$1"; cat; }

awk 'BEGIN { for (i = 0; i < 2000; i++) print i * 10000 "," 400 + i % 100 ",819,0" }' | results Good >good.csv
awk 'BEGIN { for (i = 0; i < 2000; i++) print i * 10000 "," (i % 500 ? 300 : 20000) ",819,0" }' | results Late >late.csv

# --- inputs that cannot be used
: >empty.txt
head -c 4000 "$jumpcore" >garbage.bin
printf '# jumpcore-results: 99\ntime_us,latency_us,bytes,error\n0,1,1,0\n' >version.csv
printf '# jumpcore-card-model: 99\n' >model_version.csv
mkdir folder
run 1 missing.csv && says "there is no such file" && says "nothing to report"
run 1 folder && says "it is a directory"
run 1 empty.txt && says "it is empty"
run 1 garbage.bin && says "neither a results file, a card model nor a device"
run 1 version.csv && says "version 99"
run 1 model_version.csv && says "another format version"
printf 'nan\n0,nan,819,0\n1,-5,819,0\n2,1000000000000000000,819,0\n' | results Odd >odd.csv
run 1 odd.csv && says "no row that can be used (lines refused: 4)"
run 0 missing.csv good.csv folder && says "'missing.csv' is left out" && says "Good"
run 2 && says "give at least one INPUT"
run 2 --order sideways good.csv && says "'rank' or 'given'"
run 2 --plot picture.gif good.csv && says ".svg, .png or .pdf"
run 2 --reads 0 good.csv
run 2 --nonsense good.csv
run 0 --help && says "usage: jumpcore report"

# --- what a card with late reads sounds like
run 0 --json late.csv good.csv && says '"playing":	"read in the callback it is silent 0.2 %' &&
    says "with jumpcore's engine it plays clean" && says '"playing":	null'
run 0 late.csv && says "Late, an hour of simulated playing"
run 0 --json --block-frames 600 late.csv && says '"playing":	null' # no block of the engine's

# --- inputs with something to them
printf '0,420,819,0\n' | results One >one.csv
run 0 one.csv && says "unproven" && says "0.420"
{ printf '\357\273\277'; cat good.csv; } >bom.csv
run 0 bom.csv && says "Good"
{ cat good.csv; printf '20000000,4'; } >cut.csv
run 0 --json cut.csv && says '"reads":	2000' && says "1 line could not be used"
{ printf '# jumpcore-results: 1\n# card: Slowed\n# bus_mode: 4 lanes, high speed\n'
    tail -n +3 good.csv
    printf '# bus_changes: 1\n# bus_mode_end: 1 lane\n'; } >slowed.csv
run 0 slowed.csv && says "read more slowly in the end (first 4 lanes, high speed, then 1 lane)"
sed 's/bus_changes: 1/bus_changes: 0/; /bus_mode_end/d' slowed.csv >steady.csv
run 0 steady.csv && ! grep -q "more slowly" err.txt
printf 'Welcome\r\nsdcard18.5 389 846 1 2\r\nERROR READING!\r\n' >log.txt
run 0 --json log.txt && says '"origin":	"log"' && says '"read failed":	1' && says '"dropouts"'
printf 'x SDIO not responding to CMD8 SEND_IF_COND\n[sdcard_startup] could not mount\n' >dead.txt
run 0 dead.txt && says "failed" && says "card does not answer" && says "mount failed"
run 0 --json dead.txt && says '"median_us":	null' && says '"miss_rate_upper95":	null'
"$jumpcore" report - <good.csv >out.txt 2>err.txt
says "Good"

# --- the answer
run 0 good.csv late.csv
says "but drops out 4 times in 2,000 reads," && says "which would be 720 an hour; take Good"
run 0 late.csv && says "Late is not good enough"
run 0 good.csv && says "never missed a block"
run 0 --block-frames 15 good.csv late.csv && says "None of these cards is good enough"
run 0 --json --order given late.csv good.csv
check "the given order is kept" [ "$(grep -o '"name":.*' out.txt | head -1)" = '"name":	"Late",' ]
check "ranks do not depend on the order" [ "$(grep -c '"recommended":	true' out.txt)" = 1 ]
for key in name reads errors min_us q1_us median_us q3_us whisker_low_us whisker_high_us p99_us p999_us \
    max_us misses episodes misses_per_hour miss_rate_upper95 verdict reason; do
    says "\"$key\":"
done
run 0 --merge --json good.csv bom.csv late.csv
check "inputs of one card merge" [ "$(grep -c '"name"' out.txt)" = 2 ]
says '"reads":	4000'

rows() { awk -v n="$1" -v us="$2" 'BEGIN { for (i = 0; i < n; i++) print i * 1000 "," us ",819,0" }'; }
rows 1080000 2000 | results Steady >steady.csv
rows 1000 300 | results Quick >quick.csv
rows 1000 300 | results Twin >twin.csv
run 0 steady.csv
says "1 late read an hour"
run 0 steady.csv quick.csv
says "Quick is the fastest (median 0.300 ms) but has not been read often enough" && says "take Steady"
run 0 --order given twin.csv quick.csv && says "Take Quick: it is the fastest"
run 0 --block-frames 65535 --rate 1 steady.csv && says "0.01 late reads an hour"
printf '0,1,0,crc\n' | results Dead >dead1.csv
printf '0,1,0,io\n' | results Gone >dead2.csv
run 0 dead1.csv dead2.csv && says "None of these cards works"
awk 'BEGIN { for (i = 0; i < 30; i++) print ",1,0,kind" i }' | results Kinds >kinds.csv
run 0 kinds.csv && says "1 kind7 and 22 more kinds)"
printf '0,50000,819,0\n' | results Single >single.csv
run 0 single.csv && says "360k (<360k) " && says "once in 1 read, which"

awk 'BEGIN { for (i = 0; i < 1000; i++) print i * 10 ",0,819,0" }' | results Instant >instant.csv
run 0 instant.csv && says "without a miss, less than 1 s back to back"

# --- merged cards are described by what their inputs have in common
{ printf '# jumpcore-results: 1\n# cid: 00AA\n# card: A\n# date: 1\n'; tail -n +3 quick.csv; } >upper.csv
{ printf '# jumpcore-results: 1\n# cid: 00aa\n# card: B\n# date: 2\n'; tail -n +3 late.csv; } >lower.csv
run 0 --merge --json upper.csv lower.csv && says '"reads":	3000' && says_not '"date"'
cp out.txt merged.txt
run 0 --merge --json lower.csv upper.csv
check "merging does not depend on the order" cmp out.txt merged.txt

# --- models
run 0 --reads 20000 --seed 5 "$cards"/*.csv
says "20,000 reads drawn with seed 5" && says "Lexar 32 GB A1 V10 is the fastest" && says "take Kootion"
run 0 --json --reads 3000000 "$cards/kootion_i_32gb_10.csv"
says '"verdict":	"unproven"' # more draws prove nothing
says '"measured_reads":	43840'

# --- the terminal
run 0 good.csv late.csv
check "lines fit 80 columns" [ "$(wc -L <out.txt)" -le 80 ]
LC_ALL=C "$jumpcore" report good.csv late.csv >out.txt
check "a terminal without UTF-8 gets ASCII" sh -c '! LC_ALL=C grep -q "[^ -~]" out.txt'

# --- files
cp good.csv input.csv
ln -s input.csv link.svg
run 1 input.csv --html input.csv && says "needed as an input"
run 1 input.csv --plot link.svg && says "needed as an input"
check "the input is still there" cmp input.csv good.csv
run 1 good.csv --html both.svg --plot both.svg && says "cannot both write"
run 1 good.csv --html - && says "/dev/stdout"
printf '0,420,819,0\n' | results "$(printf 'left\342\200\256thgir')" >bidi.csv
run 0 bidi.csv && says "not plain UTF-8"
hostile=$(printf "O'Brien \"x\" \\\\ <script>alert(1)</script> {/Symbol a}_x^2 \`touch pwned\` %%d \$HOME \360\237\222\276")
printf '0,420,819,0\n' | results "$hostile" >"it's \`touch pwned\`.csv"
run 0 "it's \`touch pwned\`.csv" late.csv --plot picture.svg --html page.html
absent pwned
check "the page holds no script" sh -c '! grep -qi "<script" page.html picture.svg'
check "the page refers to nothing outside" sh -c '! grep -Eqi "(src|href)=.?(https?:|//)|@import|url\(.?http" page.html'
check "the page has the picture twice" [ "$(grep -c '^<svg' page.html)" = 2 ]
check "names keep their characters" grep -qF "O&#39;Brien &quot;x&quot;" page.html
run 0 good.csv --plot picture.png
check "it is a PNG" [ "$(head -c 4 picture.png | tail -c 3)" = PNG ]
run 0 good.csv --plot picture.pdf
check "it is a PDF" [ "$(head -c 4 picture.pdf)" = %PDF ]
run 1 good.csv --plot no/where.png
check "the table is there all the same" grep -q Good out.txt
run 1 good.csv --html folder && says "director"

# --- without gnuplot
mkdir nothing
rm -f picture.* page.html
PATH=$folder/nothing "$jumpcore" report good.csv --plot picture.png --html page.html >out.txt 2>err.txt
check "it fails without gnuplot" [ $? = 1 ]
says "gnuplot, which draws the picture, is not installed"
absent picture.png
absent page.html
check "no temporary file is left" [ "$(ls -A | grep -c -e picture -e page)" = 0 ]

finish
