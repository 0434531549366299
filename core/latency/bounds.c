/*
 * The upper bound after k events in n trials is the u that solves
 *     P(at most k events in n trials | u) = 0.05         (Clopper & Pearson 1934)
 * and that probability equals a ratio of integrals (Abramowitz & Stegun 26.5.24):
 *     int_u^1 x^k (1-x)^(n-k-1) dx  /  int_0^1 x^k (1-x)^(n-k-1) dx
 * Constant factors cancel in the ratio, so no gamma function is needed.
 *
 * A power with an exponent of 10^10 loses its digits when it is multiplied out.
 * With A = k + 1, B = n - k and t the distance from the peak x0 = A / (A + B),
 *     x^A (1-x)^B = constant * exp(-A D(t / x0) - B D(-t / (1 - x0)))
 *     D(a) = a - ln(1 + a) >= 0
 * because the terms linear in t cancel (the deviance of Loader 2000, "Fast and
 * accurate computation of binomial probabilities"). What remains is a sum of two
 * positive numbers, good to the last digits for any k and n.
 */
#include "jumpcore/latency.h"

enum {
    PANELS = 64,       /* of the integral, each at most about one sigma wide */
    NODES = 8,         /* of the Gauss-Legendre rule in a panel */
    LOG_TERMS = 14,    /* (1/5)^(2 * 14) is below the precision of a double */
    EXP_TERMS = 16,    /* as is (50/64)^17 / 17! */
    EXP_SQUARINGS = 6, /* 2^6 = 64 */
    BISECTIONS = 50    /* a panel is known to 2^-50 of its width */
};

static const double NEGLIGIBLE = 50; /* e^-50 = 2e-22 of the peak */
static const double LN2 = 0.693147180559945309417;

/* a - ln(1 + a) for -1/4 <= a <= 1/2: with s = a / (2 + a), ln(1 + a) is
 * 2 (s + s^3/3 + s^5/5 + ...) and a - 2 s is a s. */
static double deviance_near(double a)
{
    double s = a / (2 + a);
    double square = s * s;
    double sum = 0;
    for (int term = LOG_TERMS; term >= 1; term--)
        sum = square * (sum + 1.0 / (2 * term + 1));
    return a * s - 2 * s * sum;
}

/* a - ln(1 + a) for -1 < a. */
static double deviance(double a)
{
    if (a >= -0.25 && a <= 0.5)
        return deviance_near(a);
    double rest = 1 + a;
    int octaves = 0;
    for (; rest > 1.5; octaves++) /* at most 1024 times, as 2^1024 is no double */
        rest /= 2;
    for (; rest < 0.75 && rest > 0; octaves--)
        rest *= 2;
    return a - (octaves * LN2 + (rest - 1) - deviance_near(rest - 1));
}

/* e^-y for y >= 0. */
static double exp_minus(double y)
{
    if (y >= NEGLIGIBLE)
        return 0;
    double part = y / (1 << EXP_SQUARINGS);
    double power = 1;
    for (int term = EXP_TERMS; term >= 1; term--)
        power = 1 - power * part / term;
    for (int i = 0; i < EXP_SQUARINGS; i++)
        power *= power;
    return power;
}

/* x^A (1-x)^B around its peak; t is the distance of x from there. */
typedef struct beta {
    double a, b;       /* the exponents A and B, both >= 1 */
    double peak;       /* A / (A + B) */
    double above_peak; /* 1 - peak, without the rounding */
} beta;

static double exponent_at(const beta *f, double t)
{
    return f->a * deviance(t / f->peak) + f->b * deviance(-t / f->above_peak);
}

/* x^(A-1) (1-x)^(B-1), up to a constant. */
static double density_at(const beta *f, double t)
{
    return exp_minus(exponent_at(f, t)) / ((1 + t / f->peak) * (1 - t / f->above_peak));
}

/* How far from the peak, in the direction of `sign`, the density becomes
 * negligible; at most `limit`. Overshoots less than twofold. */
static double reach(const beta *f, double sign, double limit)
{
    double distance = 1 / (f->a + f->b);
    while (distance < limit && exponent_at(f, sign * distance) < NEGLIGIBLE)
        distance *= 2;
    return distance < limit ? distance : limit;
}

/* Gauss-Legendre, eight points (Abramowitz & Stegun table 25.4). */
static double integrate(const beta *f, double from, double to)
{
    static const double NODE[NODES / 2] = {0.183434642495649805, 0.525532409916328986,
                                           0.796666477413626740, 0.960289856497536232};
    static const double WEIGHT[NODES / 2] = {0.362683783378361983, 0.313706645877887287,
                                             0.222381034453374471, 0.101228536290376259};
    double middle = (from + to) / 2;
    double half = (to - from) / 2;
    double sum = 0;
    for (int i = 0; i < NODES / 2; i++)
        sum += WEIGHT[i] *
               (density_at(f, middle - half * NODE[i]) + density_at(f, middle + half * NODE[i]));
    return sum * half;
}

/* The t in from .. to above which the panel holds `area`. */
static double cut(const beta *f, double from, double to, double area)
{
    double low = from;
    double high = to;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (integrate(f, middle, to) > area)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The x above which 5 % of the density lie. */
static double upper_twentieth(const beta *f)
{
    double from = -reach(f, -1, f->peak);
    double width = (reach(f, 1, f->above_peak) - from) / (double)PANELS;
    double total = 0;
    for (int panel = 0; panel < PANELS; panel++)
        total += integrate(f, from + panel * width, from + (panel + 1) * width);

    double wanted = total / 20;
    int panel = PANELS - 1;
    for (; panel > 0; panel--) {
        double area = integrate(f, from + panel * width, from + (panel + 1) * width);
        if (area > wanted)
            break;
        wanted -= area;
    }
    return f->peak + cut(f, from + panel * width, from + (panel + 1) * width, wanted);
}

double jc_rate_upper95(uint64_t events, uint64_t trials)
{
    if (events >= trials)
        return 1;
    if (events == 0)
        return trials > 3 ? 3 / (double)trials : 1;
    double a = (double)events + 1;
    double b = (double)(trials - events);
    beta density = {a, b, a / (a + b), b / (a + b)};
    double bound = upper_twentieth(&density);
    return bound < 1 ? bound : 1;
}
