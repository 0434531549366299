/* SD card on 2 to 7. */
#define BOARD_NAME "sd2"
#define BOARD_SD_CLK 2
#define BOARD_SD_CMD 3
#define BOARD_SD_DAT0 4 /* to DAT3 = 7 */
#define BOARD_I2S_DATA 18
#define BOARD_I2S_BCLK 16
#define BOARD_I2S_LRCLK 17
#define BOARD_UART_TX 0
#define BOARD_UART_RX 1
