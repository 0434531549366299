/*
 * hot.h - JC_HOT marks what runs between a command to the card and its data:
 * the read path of volumes and cards, and the audio path.
 *
 * A microcontroller that executes from serial flash pays 0.5 to 1 us for every
 * cache miss. Built with JUMPCORE_HOT_IN_RAM, marked functions and tables go to
 * sections that the pico-sdk's linker script copies to RAM; elsewhere the marks
 * mean nothing.
 */
#ifndef JUMPCORE_HOT_H
#define JUMPCORE_HOT_H

#ifdef JUMPCORE_HOT_IN_RAM
#define JC_HOT __attribute__((section(".time_critical.jc_code")))
#define JC_HOT_TABLE __attribute__((section(".time_critical.jc_table")))
#else
#define JC_HOT
#define JC_HOT_TABLE
#endif

#endif
