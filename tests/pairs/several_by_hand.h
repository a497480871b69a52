/* The functions of several.h written by hand in C and in C++: they read their messages and
 * write their answers themselves, and trust no number in them. */
#ifndef PAIRS_SEVERAL_BY_HAND_H
#define PAIRS_SEVERAL_BY_HAND_H

#include "several.h"

#include <stdlib.h>
#include <string.h>
#include <tc/entry.h>

/* Reads a message from its fixed part on. A number that is wrong leaves `ok` false. */
struct reader {
    const unsigned char *bytes;
    size_t size, at;
    int ok;
};

static inline struct reader reader_of(const void *bytes, size_t size, size_t fixed)
{
    struct reader r = {(const unsigned char *)bytes, size, fixed, size >= fixed};
    return r;
}

/* The next elements; NULL if the message is shorter. */
static inline const void *take_elements(struct reader *r, uint64_t count, size_t element,
                                        size_t alignment)
{
    size_t begin = (r->at + alignment - 1) & ~(alignment - 1);
    r->ok = r->ok && begin <= r->size && count <= (r->size - begin) / element;
    if (!r->ok)
        return NULL;
    r->at = begin + (size_t)count * element;
    return r->bytes + begin;
}

/* The elements up to the end. */
static inline const void *take_rest(struct reader *r, size_t element, size_t alignment,
                                    size_t *count_out)
{
    size_t begin = (r->at + alignment - 1) & ~(alignment - 1);
    r->ok = r->ok && begin <= r->size && (r->size - begin) % element == 0;
    *count_out = r->ok ? (r->size - begin) / element : 0;
    return take_elements(r, *count_out, element, alignment);
}

static inline int misfits(const struct reader *r)
{
    if (!r->ok)
        tc_self_fail(TC_E_INVALID, "the numbers of elements do not fit the message");
    return !r->ok;
}

/* Memory for an answer with a varying value; NULL, and the call has failed, above 1 MB. */
static inline unsigned char *answer_memory(uint64_t count, size_t element, size_t more)
{
    const size_t most = 1 << 20;
    unsigned char *memory = count < (most - more) / element
                                ? (unsigned char *)calloc(1, more + (size_t)count * element + 1)
                                : NULL;
    if (memory == NULL)
        tc_self_fail(TC_E_INVALID, "the answer would have more than 1 MB");
    return memory;
}

struct blend_fixed { /* of the message */
    struct limits limits;
    uint64_t name_count, a_count, codes_count;
    bool twice;
};
struct blend_answer {
    double sum;
    uint64_t values_count;
    struct tally tally;
};

static inline void blend_by_hand(const void *payload, size_t size)
{
    const struct blend_fixed *m = (const struct blend_fixed *)payload;
    struct reader r = reader_of(payload, size, offsetof(struct blend_fixed, twice) + 1);
    if (misfits(&r))
        return;
    const uint64_t length = m->name_count, n = m->a_count, k = m->codes_count;
    size_t count;
    const char *name = (const char *)take_elements(&r, length, 1, 1);
    const double *a = (const double *)take_elements(&r, n, sizeof *a, sizeof *a);
    const float *values = (const float *)take_rest(&r, sizeof *values, sizeof *values, &count);
    if (misfits(&r))
        return;
    const size_t head = sizeof(struct blend_answer), codes_at = head + count * sizeof *values;
    unsigned char *answer = answer_memory(k, sizeof(int32_t), codes_at);
    if (answer == NULL)
        return;
    struct blend_answer *fixed = (struct blend_answer *)answer;
    float *doubled = (float *)(answer + head);
    int32_t *codes = (int32_t *)(answer + codes_at);
    fixed->values_count = count;
    fixed->tally.count = (int32_t)length;
    for (uint64_t i = 0; i < n; i++)
        fixed->sum += a[i] >= m->limits.low && a[i] <= m->limits.high ? a[i] : 0;
    for (size_t i = 0; i < count; i++) {
        fixed->tally.sum += (double)values[i];
        doubled[i] = values[i] * (m->twice ? 2.0F : 1.0F);
    }
    for (uint64_t i = 0; i < k; i++)
        codes[i] = i < length ? (unsigned char)name[i] : -1;
    tc_reply(answer, codes_at + (size_t)k * sizeof *codes);
    free(answer);
}

struct gather_fixed {
    uint64_t which_count;
    uint8_t factor;
    uint64_t found_count;
};

static inline void gather_by_hand(const void *payload, size_t size)
{
    const struct gather_fixed *m = (const struct gather_fixed *)payload;
    struct reader r = reader_of(payload, size, sizeof *m);
    if (misfits(&r))
        return;
    const uint64_t n = m->which_count, k = m->found_count;
    size_t count;
    const uint16_t *which = (const uint16_t *)take_elements(&r, n, 2, 2);
    const struct point *points = (const struct point *)take_rest(&r, sizeof *points, 2, &count);
    struct point *found = misfits(&r) ? NULL : (struct point *)answer_memory(k, 4, 0);
    if (found == NULL)
        return;
    for (uint64_t i = 0; i < k && i < n; i++) {
        if (which[i] < count) {
            found[i].x = (int16_t)(points[which[i]].x * m->factor);
            found[i].y = (int16_t)(points[which[i]].y * m->factor);
        }
    }
    tc_reply(found, (size_t)k * sizeof *found);
    free(found);
}

struct join_fixed {
    uint64_t first_count, both_count;
    bool swapped;
};

static inline void join_by_hand(const void *payload, size_t size)
{
    const struct join_fixed *m = (const struct join_fixed *)payload;
    struct reader r = reader_of(payload, size, offsetof(struct join_fixed, swapped) + 1);
    if (misfits(&r))
        return;
    const uint64_t k = m->both_count;
    size_t lengths[2] = {0, 0};
    const unsigned char *texts[2];
    lengths[0] = (size_t)m->first_count;
    texts[0] = (const unsigned char *)take_elements(&r, lengths[0], 1, 1);
    texts[1] = (const unsigned char *)take_rest(&r, 1, 1, &lengths[1]);
    unsigned char *both = misfits(&r) ? NULL : answer_memory(k, 1, 0);
    if (both == NULL)
        return;
    size_t at = 0;
    for (int part = 0; part < 2; part++) {
        const int text = m->swapped ? 1 - part : part;
        for (size_t i = 0; i < lengths[text] && at < k; i++)
            both[at++] = texts[text][i];
    }
    tc_reply(both, (size_t)k);
    free(both);
}

#define SEVERAL_ENTRY(name, language)                                                          \
    void name##_##language##_main(void *payload, size_t size, void *target_args)               \
    {                                                                                          \
        (void)target_args;                                                                     \
        name##_by_hand(payload, size);                                                         \
    }

#endif
