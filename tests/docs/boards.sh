#!/bin/sh
# The table in docs/boards.md says what the headers in firmware/boards say.
# usage: boards.sh REPOSITORY
set -eu
cd "$1"
row='
    { gsub(/"/, "", $3); value[$2] = $3 }
    END {
        if ("BOARD_NAME" in value)
            printf "| `%s` | %d | %d | %d to %d | %d | %d | %d | %d, %d |\n", value["BOARD_NAME"],
                value["BOARD_SD_CLK"], value["BOARD_SD_CMD"], value["BOARD_SD_DAT0"], value["BOARD_SD_DAT0"] + 3,
                value["BOARD_I2S_DATA"], value["BOARD_I2S_BCLK"], value["BOARD_I2S_LRCLK"],
                value["BOARD_UART_TX"], value["BOARD_UART_RX"]
    }'
headers=$(for header in firmware/boards/*.h; do
    [ "$header" = firmware/boards/board.h ] || grep '^#define' "$header" | awk "$row"
done)
table=$(grep '^| `' docs/boards.md)
[ -n "$headers" ] || { echo "no boards in firmware/boards"; exit 1; }
[ "$headers" = "$table" ] && exit 0
printf 'docs/boards.md says\n%s\n\nand firmware/boards\n%s\n' "$table" "$headers"
exit 1
