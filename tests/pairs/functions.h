/* Functions with several values per message, in C and in C++: taken_in_c.c and taken_in_cpp.cpp
 * give each its entry. tests/pairs/pairs_in_*.py and .jl and the *_rust.rs are the same
 * functions. */
#ifndef PAIRS_FUNCTIONS_H
#define PAIRS_FUNCTIONS_H

#include <tc/entry.h>

#include <stdbool.h>
#include <stdint.h>

struct over {
    double limit;
    double values[];
};
struct weigh {
    double scale;
    int32_t shift;
    float values[]; /* where the struct would have bytes that fill it up */
};
struct weighed {
    double sum;
    int32_t count;
};
struct mixed {
    int8_t a;
    double b;
    int16_t c;
};
struct letters {
    bool all;
    char text[];
};

static inline int pairs_misfit(size_t size, size_t head, size_t element)
{
    int misfit = element == 0 ? size != head : size < head || (size - head) % element != 0;
    if (misfit)
        tc_self_fail(TC_E_INVALID, "the payload has another size");
    return misfit;
}

/* The sum of the values over a limit. */
static inline void pairs_over(const void *payload, size_t size)
{
    const struct over *message = (const struct over *)payload;
    size_t head = offsetof(struct over, values);
    double sum = 0;
    if (pairs_misfit(size, head, sizeof(double)))
        return;
    for (size_t i = 0; i < (size - head) / sizeof(double); i++)
        sum += message->values[i] > message->limit ? message->values[i] : 0;
    tc_reply(&sum, sizeof sum);
}

/* The scaled sum of the values, shifted, and how many they are. */
static inline void pairs_weigh(const void *payload, size_t size)
{
    const struct weigh *message = (const struct weigh *)payload;
    size_t head = offsetof(struct weigh, values);
    struct weighed answer = {0, 0};
    if (pairs_misfit(size, head, sizeof(float)))
        return;
    for (size_t i = 0; i < (size - head) / sizeof(float); i++, answer.count++)
        answer.sum += (double)message->values[i];
    answer.sum = answer.sum * message->scale + message->shift;
    tc_reply(&answer, sizeof answer);
}

/* Numbers of three sizes. */
static inline void pairs_mixed(const void *payload, size_t size)
{
    const struct mixed *message = (const struct mixed *)payload;
    double answer;
    if (pairs_misfit(size, sizeof *message, 0))
        return;
    answer = message->a + message->b * message->c;
    tc_reply(&answer, sizeof answer);
}

/* How many letters a text has, or how many of them are an a. */
static inline void pairs_letters(const void *payload, size_t size)
{
    const struct letters *message = (const struct letters *)payload;
    size_t head = offsetof(struct letters, text);
    int64_t count = 0;
    if (pairs_misfit(size, head, 1))
        return;
    for (size_t i = 0; i < size - head; i++)
        count += message->all || message->text[i] == 'a';
    tc_reply(&count, sizeof count);
}

#define PAIRS_ENTRY(name, language)                                                            \
    void name##_##language##_main(void *payload, size_t size, void *target_args)               \
    {                                                                                          \
        (void)target_args;                                                                     \
        pairs_##name(payload, size);                                                           \
    }

#endif
