#!/bin/sh
# cost.sh EMULATOR_DIRECTORY: builds cost.c for a Cortex-M0+ and times it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# -O2 as in the firmware; all sections separate, unused code dropped.
arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb -O2 -std=c11 -ffreestanding -nostartfiles \
    -ffunction-sections -Wl,--gc-sections -I "$root/core/include" -T "$here/cost.ld" \
    -o "$work/cost.elf" "$here/cost.c" "$root"/core/engine/*.c "$root/core/blockdev.c" \
    "$root/core/volume/plan.c" -lc -lgcc
arm-none-eabi-objcopy -O binary "$work/cost.elf" "$work/cost.bin"
arm-none-eabi-nm "$work/cost.elf" >"$work/symbols"
node "$here/cost.mjs" "$1" "$work/cost.bin" "$work/symbols"
