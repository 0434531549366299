#!/bin/sh
# `jumpcore model` from the outside.
# usage: test_model_command.sh JUMPCORE
jumpcore=$1
. "${0%/*}/../support/command.sh"
command=model

# 2,000 reads, 400 to 499 us; two bursts of three late reads
awk 'BEGIN {
    print "# jumpcore-results: 1\n# card: Test card\ntime_us,latency_us,bytes,error"
    for (i = 0; i < 2000; i++) print i * 2000 "," (i % 1000 < 3 ? 20000 : 400 + i % 100) ",819,0"
}' >card.csv

run 0 card.csv
says "# jumpcore-card-model: 1" && says "# card: Test card" && says "# reads: 2000"
says "burst_per_hour,,360" && says "burst_length,1,3" && says "burst_latency,0,20000"
run 0 card.csv --card Other --source "my desk" -o model.csv
says "late reads an hour"
check "the name can be chosen" grep -q '^# card: Other$' model.csv
check "the source is kept" grep -q '^# source: my desk$' model.csv
"$jumpcore" report --json model.csv >out.txt 2>err.txt
check "the model can be reported" [ $? = 0 ]
says '"origin":	"model"' && says '"measured_reads":	2000' && says '"dropouts"'
run 1 model.csv -o again.csv && says "is a card model already"
check "nothing is left" [ ! -e again.csv ]
run 1 missing.csv && says "there is no such file"
printf 'problem seeking to phase (1)\n' >dead.txt
run 1 dead.txt && says "no read that worked"
printf 'nonsense\n' >tail.csv
run 1 card.csv --tail tail.csv --total-reads 100000 && says "is no tail table"
run 2 card.csv --tail tail.csv && says "go together"
run 2 && says "give one INPUT"
run 2 card.csv --source "$(printf '%0300d' 0)" && says "1 to 255 bytes"
cp card.csv input.csv
run 1 input.csv -o ./input.csv && says "needed as an input"
check "the input is still there" cmp input.csv card.csv
run 0 --help && says "usage: jumpcore model"

finish
