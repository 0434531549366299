/* Pico with the default SD wiring and the DAC on the analogue pins. */
#define BOARD_NAME "pico_audio26"
#define BOARD_SD_CLK 10
#define BOARD_SD_CMD 11
#define BOARD_SD_DAT0 12 /* to DAT3 = 15 */
#define BOARD_I2S_DATA 28
#define BOARD_I2S_BCLK 26
#define BOARD_I2S_LRCLK 27
#define BOARD_UART_TX 0
#define BOARD_UART_RX 1
