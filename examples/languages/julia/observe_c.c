/* observe.jl in C, with the same memory and the same answer. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tc/entry.h>

#define BUCKETS 4096
#define FIRST_BUCKET ((1023 - 32) * 64)

typedef struct moments {
    int64_t count;
    double mean;
    double squares;
    double smallest;
    double largest;
} moments;

typedef struct kept {
    moments m;
    int64_t counts[BUCKETS];
} kept;

typedef struct summary {
    moments m;
    double quantiles[3];
} summary;

static int64_t bucket_of(double x)
{
    uint64_t bits;
    int64_t at;
    memcpy(&bits, &x, sizeof bits);
    at = (int64_t)(bits >> 46) - FIRST_BUCKET;
    return at < 0 ? 0 : at >= BUCKETS ? BUCKETS - 1 : at;
}

static double value_of(int64_t bucket)
{
    uint64_t bits = (uint64_t)(bucket + FIRST_BUCKET) << 46 | (uint64_t)1 << 45;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double quantile(const kept *k, double share)
{
    int64_t left = (int64_t)(share * (double)(k->m.count - 1)) + 1;
    for (int64_t bucket = 0; bucket < BUCKETS; bucket++) {
        left -= k->counts[bucket];
        if (left <= 0)
            return value_of(bucket);
    }
    return value_of(BUCKETS - 1);
}

static void add(moments *m, double x)
{
    double from_old = x - m->mean;
    m->count++;
    m->mean += from_old / (double)m->count;
    m->squares += from_old * (x - m->mean);
    m->smallest = x < m->smallest ? x : m->smallest;
    m->largest = x > m->largest ? x : m->largest;
}

void observe_c_main(void *payload, size_t payload_size, void *target_args)
{
    const double *batch = payload;
    const size_t count = payload_size / sizeof *batch;
    kept *k = tc_self_state(sizeof *k);
    (void)target_args;
    if (k == NULL)
        return;
    if (count == 0) {
        summary said = {k->m, {quantile(k, 0.5), quantile(k, 0.9), quantile(k, 0.99)}};
        (void)tc_reply(&said, sizeof said);
        return;
    }
    if (k->m.count == 0)
        k->m = (moments){.smallest = INFINITY, .largest = -INFINITY};
    moments m = k->m;
    for (size_t i = 0; i < count; i++) {
        add(&m, batch[i]);
        k->counts[bucket_of(batch[i])]++;
    }
    k->m = m;
}
