#!/usr/bin/env python3
"""Independent calculation of the golden figures in test_core_logs.c.

Regular expressions and plain sorting; shares nothing with the C code.
usage: golden_logs.py ../shared/data/core-logs/experiment1/*.txt
"""
import math
import os
import re
import sys

ROW = re.compile(r'sdcard(\d+(?:\.\d)?) (\d+) (\d+)(?: (\d+) (\d+))?\s*$')


def type7(x, p):
    h = (len(x) - 1) * p
    low = math.floor(h)
    high = min(low + 1, len(x) - 1)
    return x[low] + (h - low) * (x[high] - x[low])


def reads(path):
    before = None
    with open(path, encoding='latin-1', newline='') as log:
        for line in re.split(r'[\r\n]+', log.read()):
            row = ROW.search(line)
            if not row:
                continue
            cpu, rest = row.group(1), row.groups()[1:]
            reprint = '.' not in cpu and int(cpu) >= 100 and rest == before
            before = rest
            if not reprint:
                yield int(rest[0])


for path in sys.argv[1:]:
    x = sorted(reads(path))
    q1, q2, q3 = (type7(x, p) for p in (0.25, 0.5, 0.75))
    fence = 1.5 * (q3 - q1)
    figures = [x[0], q1, q2, q3, min(v for v in x if v >= q1 - fence),
               max(v for v in x if v <= q3 + fence), type7(x, 0.99), type7(x, 0.999), x[-1]]
    print('{"%s", %d, %d, {%s}},' % (os.path.basename(path)[:-4], len(x),
                                      sum(v > 10000 for v in x),
                                      ', '.join('%.10g' % f for f in figures)))
