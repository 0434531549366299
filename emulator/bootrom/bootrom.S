@ A stub boot ROM for the emulated RP2040: the tables and functions that pico-sdk looks
@ up (RP2040 datasheet, 2.8.3), nothing else. The machine itself does what the real ROM
@ does at power-up. Anything that is missing stops the emulation with BKPT:
@   1  a lookup found no entry; its two-letter code is in r1
@   2  an exception without a handler, or a jump into the ROM

        .syntax unified
        .cpu    cortex-m0plus
        .thumb
        .text

        .word   0x20041f00              @ initial stack pointer
        .word   stray + 1               @ reset
        .word   stray + 1               @ NMI
        .word   stray + 1               @ hard fault
        .byte   'M', 'u', 1, 3          @ magic, and ROM version 3 (B2)
        .hword  functions
        .hword  data
        .hword  lookup + 1
        .hword  0

        .macro  entry code, function
        .ascii  "\code"
        .hword  \function + 1
        .endm

        .balign 4
functions:
        entry   "P3", popcount32
        entry   "R3", reverse32
        entry   "L3", clz32
        entry   "T3", ctz32
        entry   "MS", memset
        entry   "S4", memset
        entry   "MC", memcpy
        entry   "C4", memcpy
        @ Flash is always readable here, so leaving and entering XIP is nothing.
        entry   "IF", nothing           @ connect_internal_flash
        entry   "EX", nothing           @ flash_exit_xip
        entry   "FC", nothing           @ flash_flush_cache
        entry   "CX", nothing           @ flash_enter_cmd_xip
        .hword  0

        .balign 4
data:
        .hword  0

@ r0 = table, r1 = code; returns the address. Stops when there is none.
        .thumb_func
lookup:
        ldrh    r2, [r0]
        cmp     r2, r1
        beq     1f
        adds    r0, #4
        cmp     r2, #0
        bne     lookup
        bkpt    #1
1:      ldrh    r0, [r0, #2]
        bx      lr

        .thumb_func
stray:
        bkpt    #2
        b       stray

        .thumb_func
nothing:
        bx      lr

        .thumb_func
popcount32:                             @ clears the lowest set bit until none is left
        movs    r1, #0
1:      cmp     r0, #0
        beq     2f
        subs    r2, r0, #1
        ands    r0, r2
        adds    r1, #1
        b       1b
2:      mov     r0, r1
        bx      lr

        .thumb_func
reverse32:
        movs    r1, #0
        movs    r2, #32
1:      lsrs    r0, r0, #1
        adcs    r1, r1
        subs    r2, #1
        bne     1b
        mov     r0, r1
        bx      lr

        .thumb_func
clz32:
        movs    r1, #32
1:      cmp     r0, #0
        beq     2f
        lsrs    r0, r0, #1
        subs    r1, #1
        b       1b
2:      mov     r0, r1
        bx      lr

        .thumb_func
ctz32:
        movs    r1, #32
1:      cmp     r0, #0
        beq     2f
        lsls    r0, r0, #1
        subs    r1, #1
        b       1b
2:      mov     r0, r1
        bx      lr

@ r0 = destination, r1 = byte, r2 = count; returns r0. By words where it can.
        .thumb_func
memset:
        mov     r12, r0
        uxtb    r1, r1
        lsls    r3, r1, #8
        orrs    r1, r3
        lsls    r3, r1, #16
        orrs    r1, r3
1:      cmp     r2, #0                  @ bytes up to a word boundary
        beq     4f
        lsls    r3, r0, #30
        beq     2f
        strb    r1, [r0]
        adds    r0, #1
        subs    r2, #1
        b       1b
2:      cmp     r2, #4                  @ words
        blo     3f
        stmia   r0!, {r1}
        subs    r2, #4
        b       2b
3:      cmp     r2, #0                  @ the rest
        beq     4f
        strb    r1, [r0]
        adds    r0, #1
        subs    r2, #1
        b       3b
4:      mov     r0, r12
        bx      lr

@ r0 = destination, r1 = source, r2 = count; returns r0. By words where both allow it.
        .thumb_func
memcpy:
        push    {r4, r5, lr}
        mov     r12, r0
        mov     r3, r0
        eors    r3, r1
        lsls    r3, r3, #30             @ differently aligned: never both on a word
        bne     4f
1:      cmp     r2, #0                  @ bytes up to a word boundary
        beq     5f
        lsls    r3, r0, #30
        beq     2f
        ldrb    r4, [r1]
        strb    r4, [r0]
        adds    r0, #1
        adds    r1, #1
        subs    r2, #1
        b       1b
2:      cmp     r2, #8                  @ two words at a time
        blo     3f
        ldmia   r1!, {r4, r5}
        stmia   r0!, {r4, r5}
        subs    r2, #8
        b       2b
3:      cmp     r2, #4
        blo     4f
        ldmia   r1!, {r4}
        stmia   r0!, {r4}
        subs    r2, #4
4:      cmp     r2, #0                  @ the rest, or everything
        beq     5f
        ldrb    r4, [r1]
        strb    r4, [r0]
        adds    r0, #1
        adds    r1, #1
        subs    r2, #1
        b       4b
5:      mov     r0, r12
        pop     {r4, r5, pc}
