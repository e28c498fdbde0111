#ifndef RNG_H
#define RNG_H
#include <math.h>
#include <stdint.h>

#define RNG_MAXT 256

typedef struct { uint64_t s; } rng_t;

static inline uint64_t rng_next(rng_t *r)
{
    uint64_t z = (r->s += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline double rng_u(rng_t *r) { return (rng_next(r) >> 11) * (1.0 / 9007199254740992.0); }

static inline double rng_gauss(rng_t *r)
{
    double u = rng_u(r), v = rng_u(r);
    return sqrt(-2.0 * log(u + 1e-300)) * cos(6.283185307179586 * v);
}
#endif
