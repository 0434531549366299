/* Raspberry Pi Pico or Pico 2 with the SD card on 10 to 15: the default wiring. */
#define BOARD_NAME "pico"
#define BOARD_SD_CLK 10
#define BOARD_SD_CMD 11
#define BOARD_SD_DAT0 12 /* to DAT3 = 15 */
#define BOARD_I2S_DATA 18
#define BOARD_I2S_BCLK 16
#define BOARD_I2S_LRCLK 17
#define BOARD_UART_TX 0
#define BOARD_UART_RX 1
