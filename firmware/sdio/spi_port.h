/*
 * spi_port.h - an SPI port on the SD card's pins, whichever they are: CLK is SCK,
 * CMD is MOSI, DAT0 is MISO, DAT3 is the chip select. PIO0's first state machine,
 * while the native bus rests.
 */
#ifndef JUMPCORE_SPI_PORT_H
#define JUMPCORE_SPI_PORT_H

#include "jumpcore/sd_spi.h"

const jc_spi_port_ops *spi_port_begin(uint32_t sys_hz);

#endif
