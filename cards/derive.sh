#!/bin/sh
# Makes the 14 card models in this folder again, from the logs that a playing
# device printed (github.com/schollz/_core, dev/sdcards; not part of this
# project). Users of the models do not need it. docs/card-model.md gives reasons.
#
# usage: cards/derive.sh JUMPCORE LOGS OUTPUT
#   JUMPCORE  the command, build/jumpcore
#   LOGS      folder with the logs' first pages (*.txt), tails-*.csv, pages-*.csv
#   OUTPUT    folder for the models
set -eu
[ $# = 3 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
jumpcore=$1
logs=$2
output=$3

# A page of a log is 16,000 characters. The device printed a row for every 64th
# block, and (but for the oldest firmware, lexar's) one for every read over
# 3,000 us at once.
page_characters=16000
row_blocks=64

tails=$(mktemp)
trap 'rm -f "$tails"' EXIT INT TERM

# total_reads LOG LOGGED_EVERY: the reads that the device made while it logged,
# from the table of pages and the number of rows in the tail.
total_reads() {
    cat "$logs"/pages-*.csv "$logs"/tails-*.csv | tr -d '\r' | awk -F, \
        -v log_name="$1" -v every="$2" -v page="$page_characters" -v blocks="$row_blocks" '
        $1 != log_name { next }
        $2 > 1000 { characters = $2; pages = $3; rows = $4; next }  # pages table
        { tail++ }
        END {
            if (pages > 1) rows = int(rows * characters / page)
            if (every > 1) print rows * every
            else if (tail > rows / 2) print (rows > tail ? rows : tail)  # each row is a read
            else print (rows - tail) * blocks
        }'
}

# model LOG CARD [LOGGED_EVERY]
# The tails of all logs are one table for this, with one header line.
model() {
    every=${3:-1}
    { echo log,page,us,bytes; cat "$logs"/tails-*.csv | tr -d '\r' | grep -v '^log,'; } >"$tails"
    "$jumpcore" model "$logs/$1.txt" --card "$2" \
        --source "github.com/schollz/_core dev/sdcards/$1 (RP2040 at 125 MHz, 4-bit SDIO, 846 bytes a read)" \
        --tail "$tails" --total-reads "$(total_reads "$1" "$every")" --logged-every "$every" \
        -o "$output/$1.csv"
}

model gigastone_32gb_a1_hc1 'Gigastone 32 GB A1'
model juanwe_32gb_10_i 'Juanwe 32 GB Class 10'
model kexin_8gb_micro_sd_hc 'Kexin 8 GB'
model kingston_16gb_hc_4 'Kingston 16 GB Class 4'
model kootion_i_32gb_10 'Kootion 32 GB Class 10'
model lexar_a1_32gb_hc1_v10 'Lexar 32 GB A1 V10' 64
model micro_center_10_64gb_xc 'Micro Center 64 GB Class 10'
model pny_32gb_elite_hc1 'PNY Elite 32 GB'
model samsung_evo_select_a2_v30 'Samsung EVO Select A2 V30'
model sandisk_16gb_hc1_4 'SanDisk 16 GB Class 4'
model sandisk_extreme_16gb_hc1 'SanDisk Extreme 16 GB'
model sandisk_ultra_32gb_a1_hc1 'SanDisk Ultra 32 GB A1'
model sandisk_ultra_8gb_hc1 'SanDisk Ultra 8 GB'
model sp_elite_32gb_10 'SP Elite 32 GB Class 10'
