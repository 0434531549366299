/* SD card on 24 to 29, for bare RP2040 boards that lead them out. */
#define BOARD_NAME "sd24"
#define BOARD_SD_CLK 24
#define BOARD_SD_CMD 25
#define BOARD_SD_DAT0 26 /* to DAT3 = 29 */
#define BOARD_I2S_DATA 18
#define BOARD_I2S_BCLK 16
#define BOARD_I2S_LRCLK 17
#define BOARD_UART_TX 0
#define BOARD_UART_RX 1
