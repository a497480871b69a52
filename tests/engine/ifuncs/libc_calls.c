/* Calls into libc: text, a copy that becomes a call of memcpy, a callback out of libc into this
 * code, errno, constants. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct big {
    uint64_t words[512];
} big;

static const double table[] = {0.5, 1.25, 3.75, 1e10};
static const char *const names[] = {"zero", "one", "two", "three"};
static big copy_of;

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static const char *name(unsigned i)
{
    switch (i) {
    case 0:
    case 1:
    case 2:
    case 3:
        return names[i];
    case 17:
        return "seventeen";
    case 99:
        return "ninety-nine";
    default:
        return "many";
    }
}

void libc_calls_main(void *payload, size_t payload_size, void *target_args)
{
    big *source = payload;
    char *out = target_args;
    char *end;
    copy_of = *source;
    qsort(copy_of.words, 512, sizeof copy_of.words[0], compare);
    errno = 0;
    (void)strtol("999999999999999999999999", &end, 10);
    int n = snprintf(out, 200, "%zu %s %s %s %.2f %llu..%llu errno %d", payload_size, name(2),
                     name(17), name(5), table[2], (unsigned long long)copy_of.words[0],
                     (unsigned long long)copy_of.words[511], errno == ERANGE);
    out[n] = '\0';
}
