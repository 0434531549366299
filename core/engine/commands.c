/* commands.c - making commands. */
#include "jumpcore/engine.h"

static jc_command command(jc_command_kind kind, uint32_t voice)
{
    return (jc_command){.kind = (uint8_t)kind, .voice = (uint8_t)(voice < 255 ? voice : 255)};
}

jc_command jc_jump_to_slice(uint32_t voice, uint32_t sample, uint32_t slice)
{
    jc_command made = command(JC_COMMAND_JUMP_SLICE, voice);
    made.sample = (uint8_t)(sample < 255 ? sample : 255);
    made.slice = slice;
    return made;
}

jc_command jc_jump_to_frame(uint32_t voice, uint32_t sample, uint64_t frame)
{
    jc_command made = command(JC_COMMAND_JUMP_FRAME, voice);
    made.sample = (uint8_t)(sample < 255 ? sample : 255);
    made.first_frame = frame;
    return made;
}

jc_command jc_stop(uint32_t voice)
{
    return command(JC_COMMAND_STOP, voice);
}

/* round(2^30 * 2^(n / 12)) */
static const uint32_t SEMITONE_Q30[12] = {1073741824, 1137589835, 1205234447, 1276901417,
                                          1352829926, 1433273380, 1518500250, 1608794974,
                                          1704458901, 1805811301, 1913190429, 2026954652};

/* 2^(cents / 1200) for 0 .. 99 cents: the Taylor series of e^x to the third power, whose
 * remainder is below x^4 / 24 = 4.6e-7, or 0.0008 cent. */
static uint64_t fine_q30(uint32_t cents)
{
    const uint64_t one = (uint64_t)1 << 30;
    uint64_t x = (uint64_t)cents * 620218u; /* 2^30 ln 2 / 1200 = 620,217.6 */
    uint64_t x2 = x * x >> 30;
    uint64_t x3 = x2 * x >> 30;
    return one + x + x2 / 2 + x3 / 6;
}

jc_command jc_pitch(uint32_t voice, int32_t cents)
{
    if (cents > JC_PITCH_CENTS_MAX)
        cents = JC_PITCH_CENTS_MAX;
    if (cents < -JC_PITCH_CENTS_MAX)
        cents = -JC_PITCH_CENTS_MAX;
    uint32_t above = (uint32_t)(cents + JC_PITCH_CENTS_MAX); /* two octaves down */
    uint64_t semitone = SEMITONE_Q30[above / 100 % 12];
    uint64_t speed_q30 = (semitone * fine_q30(above % 100) >> 30) << (above / 1200);
    jc_command made = command(JC_COMMAND_PITCH, voice);
    made.speed_q24 = (uint32_t)((speed_q30 + 128) >> 8); /* 2^-6 * 2^-2 of 2^32 */
    return made;
}

jc_command jc_gain(uint32_t voice, uint32_t gain, int32_t pan)
{
    const uint32_t most = 2 * JC_GAIN_UNITY;
    if (gain > most)
        gain = most;
    if (pan < JC_PAN_LEFT)
        pan = JC_PAN_LEFT;
    if (pan > JC_PAN_RIGHT)
        pan = JC_PAN_RIGHT;
    uint32_t kept_left = (uint32_t)(pan > 0 ? JC_PAN_RIGHT - pan : JC_PAN_RIGHT);
    uint32_t kept_right = (uint32_t)(pan < 0 ? JC_PAN_RIGHT + pan : JC_PAN_RIGHT);
    jc_command made = command(JC_COMMAND_GAIN, voice);
    made.left = (uint16_t)(gain * kept_left / JC_PAN_RIGHT);
    made.right = (uint16_t)(gain * kept_right / JC_PAN_RIGHT);
    return made;
}

jc_command jc_reverse(uint32_t voice, bool on)
{
    jc_command made = command(JC_COMMAND_REVERSE, voice);
    made.mode = on;
    return made;
}

jc_command jc_loop(uint32_t voice, jc_loop_mode mode, uint64_t first_frame, uint64_t end_frame)
{
    jc_command made = command(JC_COMMAND_LOOP, voice);
    made.mode = (uint8_t)mode;
    made.first_frame = first_frame;
    made.end_frame = end_frame;
    return made;
}
