/* wav_out.h - a 16-bit stereo WAV file, written block by block. */
#ifndef JUMPCORE_CLI_WAV_OUT_H
#define JUMPCORE_CLI_WAV_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { WAV_OUT_FRAMES_MAX = (INT32_MAX - 44) / 4 };

/* The header of a file with so many frames, which must follow. Write errors show in
 * ferror(to). */
void wav_out_header(FILE *to, uint32_t rate_hz, uint32_t frames);
void wav_out_frames(FILE *to, const int16_t *stereo, uint32_t frames);

#endif
