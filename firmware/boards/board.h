/*
 * board.h - which pin is what, and which of the chip's shared parts belong to
 * whom. The wiring comes from the header beside this one that the build selects
 * (cmake -DJUMPCORE_BOARD=NAME); a new board is a copy of one of them.
 *
 *              SD card                     sound
 *   PIO        PIO0: SM0 commands,         PIO1: SM0 I2S
 *              SM1 data; in SPI mode SM0
 *   DMA        0 blocks, 1 their list      2, 3
 *   IRQ        DMA_IRQ_0 (core 0)          DMA_IRQ_1 (core 1)
 *   alarm      2 (core 0)                  -
 */
#ifndef JUMPCORE_BOARD_H
#define JUMPCORE_BOARD_H

#include <assert.h>

#include JUMPCORE_BOARD_HEADER

enum {
    BOARD_SD_DMA_DATA = 0,
    BOARD_SD_DMA_LIST = 1,
    BOARD_I2S_DMA_A = 2,
    BOARD_I2S_DMA_B = 3,
    BOARD_WAIT_ALARM = 2
};

#define BOARD_SD_DAT3 (BOARD_SD_DAT0 + 3)
#define BOARD_PIN(pin) (1ull << (pin))
#define BOARD_SD_PINS (BOARD_PIN(BOARD_SD_CLK) | BOARD_PIN(BOARD_SD_CMD) | 15ull << BOARD_SD_DAT0)
#define BOARD_I2S_PINS                                                                             \
    (BOARD_PIN(BOARD_I2S_DATA) | BOARD_PIN(BOARD_I2S_BCLK) | BOARD_PIN(BOARD_I2S_LRCLK))
#define BOARD_UART_PINS (BOARD_PIN(BOARD_UART_TX) | BOARD_PIN(BOARD_UART_RX))
#define BOARD_PIN_COUNT 30

static_assert(BOARD_SD_DAT0 >= 0 && BOARD_SD_DAT3 < BOARD_PIN_COUNT,
              "board: DAT0 to DAT3 take four neighbouring GPIOs, so DAT0 must be 0 to 26");
static_assert(BOARD_SD_CLK < BOARD_PIN_COUNT && BOARD_SD_CMD < BOARD_PIN_COUNT,
              "board: the SD card's CLK and CMD must be GPIO 0 to 29");
static_assert(BOARD_SD_CLK != BOARD_SD_CMD && ((BOARD_PIN(BOARD_SD_CLK) | BOARD_PIN(BOARD_SD_CMD)) &
                                               15ull << BOARD_SD_DAT0) == 0,
              "board: the SD card's CLK, CMD and DAT0 to DAT3 must be six different GPIOs");
static_assert(BOARD_I2S_LRCLK == BOARD_I2S_BCLK + 1,
              "board: LRCLK must be the GPIO after BCLK, as one PIO side-set drives both");
static_assert(BOARD_I2S_DATA < BOARD_PIN_COUNT && BOARD_I2S_LRCLK < BOARD_PIN_COUNT &&
                  BOARD_I2S_DATA != BOARD_I2S_BCLK && BOARD_I2S_DATA != BOARD_I2S_LRCLK,
              "board: the DAC's DATA, BCLK and LRCLK must be three different GPIOs, 0 to 29");
static_assert((BOARD_SD_PINS & BOARD_I2S_PINS) == 0,
              "board: the SD card and the DAC share a GPIO; give one of them another");
static_assert((BOARD_UART_PINS & (BOARD_SD_PINS | BOARD_I2S_PINS)) == 0,
              "board: the UART shares a GPIO with the SD card or the DAC; give it another");
static_assert(BOARD_UART_TX % 4 == 0 && BOARD_UART_RX == BOARD_UART_TX + 1 &&
                  (BOARD_UART_TX == 0 || BOARD_UART_TX == 12 || BOARD_UART_TX == 16 ||
                   BOARD_UART_TX == 28),
              "board: UART0's TX must be GPIO 0, 12, 16 or 28, RX the next one");

#endif
