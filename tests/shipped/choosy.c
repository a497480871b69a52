/* Asks for its processor, and has functions that are chosen for it: by resolvers of its own
 * (attribute ifunc) and by those that compilers make (target_clones). The payload is one
 * letter. */
#include <stdarg.h>
#include <stddef.h>
#include <tc/entry.h>

#include "choosy.h"

#define JOIN(a, b) a##b
#define ENTRY(name, suffix) JOIN(name, suffix)

void ENTRY(NAME, _main)(void *payload, size_t size, void *target_args);

typedef struct wide {
    long parts[5];
} wide;

static int resolved; /* how often a resolver ran */

/* --- by the attribute ifunc --------------------------------------------------------------- */

static int plain(int n)
{
    return n + CHOOSY_PLAIN;
}

static int better(int n)
{
    return n + CHOOSY_BETTER;
}

static long sum_of_wide(int first, wide w, double last)
{
    return first + w.parts[0] + w.parts[4] + (long)last;
}

static int sum_of_many(int count, ...)
{
    int sum = 0;
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, int) + (int)va_arg(list, double);
    va_end(list);
    return sum;
}

#if defined(__x86_64__)
static int (*choose(void))(int)
{
    resolved++;
    __builtin_cpu_init();
    return choosy_features() != 0 ? better : plain;
}
#else
/* As loaders of programs call them there: a bit marks a second argument. */
static int (*choose(unsigned long hwcap, const unsigned long *words))(int)
{
    const unsigned long with_second = 1ul << 62;
    resolved++;
    return (hwcap & with_second) != 0 && words[0] == 24 && words[1] == (hwcap & ~with_second)
               ? better
               : plain;
}
#endif

static long (*choose_wide(void))(int first, wide w, double last)
{
    resolved++;
    return resolved > 0 ? sum_of_wide : NULL;
}

static int (*choose_many(void))(int count, ...)
{
    resolved++;
    return resolved > 0 ? sum_of_many : NULL;
}

static int chosen(int n) __attribute__((ifunc("choose")));
static long chosen_wide(int first, wide w, double last) __attribute__((ifunc("choose_wide")));
static int chosen_many(int count, ...) __attribute__((ifunc("choose_many")));

static int (*const table[])(int n) = {chosen, plain};
static int (*volatile same)(int n) = chosen;
static int in_constructor;

__attribute__((constructor)) static void construct(void)
{
    in_constructor = chosen(5);
}

/* --- by the compiler ---------------------------------------------------------------------- */

#if defined(__x86_64__)
__attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#endif
int squares(const int *numbers, int count);

#if defined(__x86_64__)
__attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#endif
int squares(const int *numbers, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i] * numbers[i];
    return sum;
}

static int sum_of_squares(void)
{
    int numbers[100];
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    return squares(numbers, 100);
}

/* A second name, which must not keep better code away. */
int sum_again(void) __attribute__((alias("sum_of_squares")));

/* ------------------------------------------------------------------------------------------ */

static int answer_to(char question)
{
    switch (question) {
    case 'f':
        return (int)choosy_features();
    case 'c':
        return chosen(5);
    case 'k':
        return in_constructor;
    case 't':
        return table[0](5);
    case 'e':
        return (table[0] == same) + (same == chosen);
    case 'w':
        return (int)chosen_wide(1, (wide){{10, 0, 0, 0, 100}}, 1000);
    case 'm':
        return chosen_many(3, 1, 10.0, 2, 20.0, 3, 30.0);
    case 's':
        return sum_again();
    default:
        return resolved;
    }
}

void ENTRY(NAME, _main)(void *payload, size_t size, void *target_args)
{
    const int answer = answer_to(size > 0 ? *(const char *)payload : 'r');
    (void)target_args;
    (void)tc_reply(&answer, sizeof answer);
}
