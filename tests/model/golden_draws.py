#!/usr/bin/env python3
"""Independent sampler, written from docs/card-model.md: the golden draws of
test_card_model.c.

usage: golden_draws.py MODEL.csv SEED COUNT
"""
import math
import sys

MASK = 0xFFFFFFFF


def seeds(seed):  # splitmix32
    while True:
        seed = (seed + 0x9E3779B9) & MASK
        z = seed
        z = ((z ^ (z >> 16)) * 0x85EBCA6B) & MASK
        z = ((z ^ (z >> 13)) * 0xC2B2AE35) & MASK
        yield z ^ (z >> 16)


def rotate(x, k):
    return ((x << k) | (x >> (32 - k))) & MASK


class Draw:  # xoshiro128** 1.1
    def __init__(self, seed):
        source = seeds(seed)
        self.s = [next(source) for _ in range(4)]

    def __call__(self):
        s = self.s
        result = (rotate((s[1] * 5) & MASK, 7) * 9) & MASK
        t = (s[1] << 9) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 11)
        return result / 4294967296.0


def at(curve, u):
    i = max(k for k in range(len(curve) - 1) if curve[k][0] <= u)
    (p, v), (q, w) = curve[i], curve[i + 1]
    return v + (w - v) * ((u - p) / (q - p))


def whole(x):
    return max(1, math.floor(x + 0.5))


curves = {'quantile': [], 'burst_length': [], 'burst_latency': [], 'burst_per_hour': []}
for line in open(sys.argv[1], encoding='utf-8-sig'):
    kind, *rest = line.strip().split(',')
    if kind in curves:
        curves[kind].append((float(rest[0] or 0), float(rest[1])))
rate = curves['burst_per_hour'][0][1] / 360000 if curves['burst_per_hour'] else 0

draw = Draw(int(sys.argv[2]))
left = 0
reads = []
for _ in range(int(sys.argv[3])):
    if left == 0 and rate > 0 and draw() < rate:
        left = whole(at(curves['burst_length'], draw()))
    if left:
        left -= 1
        reads.append(whole(at(curves['burst_latency'], draw())))
    else:
        reads.append(whole(at(curves['quantile'], draw())))
print(', '.join(map(str, reads)))
