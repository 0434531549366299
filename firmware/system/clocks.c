#include "clocks.h"

#include "hardware/clocks.h"
#include "hardware/pll.h"
#include "hardware/vreg.h"
#include "pico/stdlib.h"
#if PICO_RP2040
#include "hardware/structs/ssi.h"
#else
#include "hardware/structs/qmi.h"
#endif

#ifndef JUMPCORE_CLK_MHZ
#error "say at which clock the firmware is to run: cmake -DJUMPCORE_CLK_MHZ=125 (133, 200, 250)"
#endif

/* Only clocks that the PLL hits exactly; others would stop in the SDK's panic. */
static_assert(JUMPCORE_CLK_MHZ == 125 || JUMPCORE_CLK_MHZ == 133 || JUMPCORE_CLK_MHZ == 150 ||
                  JUMPCORE_CLK_MHZ == 200 || JUMPCORE_CLK_MHZ == 250,
              "JUMPCORE_CLK_MHZ must be 125, 133, 150 (Pico 2), 200 or 250");

enum {
    CLOCK_KHZ = JUMPCORE_CLK_MHZ * 1000,
    FLASH_MAX_KHZ = 66500, /* what boot2's divider of 2 gives at 133 MHz */
    VOLTAGE_SETTLE_US = 1000
};

#if PICO_RP2040
/* The next even divider that keeps the flash at or below FLASH_MAX_KHZ. In RAM:
 * nothing may be fetched from flash meanwhile. */
static void __no_inline_not_in_flash_func(slow_flash)(void)
{
    uint32_t divider = (CLOCK_KHZ + FLASH_MAX_KHZ - 1) / FLASH_MAX_KHZ;
    divider += divider & 1;
    if (divider <= ssi_hw->baudr)
        return;
    ssi_hw->ssienr = 0;
    ssi_hw->baudr = divider;
    ssi_hw->ssienr = 1;
}
#else
static void __no_inline_not_in_flash_func(slow_flash)(void)
{
    uint32_t divider = (CLOCK_KHZ + FLASH_MAX_KHZ - 1) / FLASH_MAX_KHZ;
    uint32_t timing = qmi_hw->m[0].timing;
    if (divider <= (timing & QMI_M0_TIMING_CLKDIV_BITS))
        return;
    qmi_hw->m[0].timing = (timing & ~QMI_M0_TIMING_CLKDIV_BITS) | divider;
}
#endif

static enum vreg_voltage voltage(void)
{
    if (CLOCK_KHZ > 200000)
        return VREG_VOLTAGE_1_20;
    return CLOCK_KHZ > 150000 ? VREG_VOLTAGE_1_15 : VREG_VOLTAGE_DEFAULT;
}

uint32_t clocks_begin(void)
{
    if (voltage() != VREG_VOLTAGE_DEFAULT) {
        vreg_set_voltage(voltage());
        busy_wait_us(VOLTAGE_SETTLE_US);
    }
    slow_flash();
    set_sys_clock_khz(CLOCK_KHZ, true);
    return clock_get_hz(clk_sys);
}
