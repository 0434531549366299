/* SD card on 1 to 6; the UART moves to 12 and 13. */
#define BOARD_NAME "sd1"
#define BOARD_SD_CLK 1
#define BOARD_SD_CMD 2
#define BOARD_SD_DAT0 3 /* to DAT3 = 6 */
#define BOARD_I2S_DATA 18
#define BOARD_I2S_BCLK 16
#define BOARD_I2S_LRCLK 17
#define BOARD_UART_TX 12
#define BOARD_UART_RX 13
