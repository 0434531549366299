/* SD card on 18 to 23 (Pico: 23 is on the board's own power supply; use a bare RP2040). */
#define BOARD_NAME "sd18"
#define BOARD_SD_CLK 18
#define BOARD_SD_CMD 19
#define BOARD_SD_DAT0 20 /* to DAT3 = 23 */
#define BOARD_I2S_DATA 28
#define BOARD_I2S_BCLK 26
#define BOARD_I2S_LRCLK 27
#define BOARD_UART_TX 0
#define BOARD_UART_RX 1
