/*
 * tusb_config.h - TinyUSB: one full-speed device with one serial port (CDC).
 */
#ifndef JUMPCORE_TUSB_CONFIG_H
#define JUMPCORE_TUSB_CONFIG_H

#define CFG_TUSB_RHPORT0_MODE OPT_MODE_DEVICE
#define CFG_TUD_ENDPOINT0_SIZE 64
#define CFG_TUD_CDC 1
#define CFG_TUD_CDC_RX_BUFSIZE 256
#define CFG_TUD_CDC_TX_BUFSIZE 1024
#define CFG_TUD_CDC_EP_BUFSIZE 64

#endif
