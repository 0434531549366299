/*
 * mixer.h - add voices up and hand the sum to a DAC.
 *
 * The mix is stereo, 32 bit, with 8 bits below the 16 of a sample and room for 8
 * voices at +6 dB above them.
 */
#ifndef JUMPCORE_ENGINE_MIXER_H
#define JUMPCORE_ENGINE_MIXER_H

#include <stddef.h>
#include <stdint.h>

/* Gains of a block: where they begin and how much they grow per frame, in units of
 * 2^-29 (JC_GAIN_UNITY << 15 is 1, twice that the most). */
typedef struct jc_gains {
    int32_t left, right;
    int32_t left_growth, right_growth;
} jc_gains;

/* From the block's first gains to those of the next block, in JC_GAIN_UNITY units. */
jc_gains jc_gains_between(uint16_t left, uint16_t right, uint16_t next_left, uint16_t next_right,
                          uint32_t block_frames);

/* mix[0 .. frames) += samples * gains. A mono sample goes to both sides. */
void jc_mix_add(int32_t *mix, const int16_t *samples, uint32_t frames, size_t channels,
                jc_gains gains);

/* Rounded and limited to 16 bits; and to 32 with all that the mix holds. */
void jc_mix_to_s16(const int32_t *mix, uint32_t frames, int16_t *stereo);
void jc_mix_to_s32(const int32_t *mix, uint32_t frames, int32_t *stereo);

#endif
