/* A function that needs nothing of its target: it counts in a variable of its own. It also
 * keeps a copy of a payload that is a text, for which it binds the same symbols of the C
 * library as functions of ordinary size. */
#include "visit.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t seen;
static char last[2 * VISIT_TEXT];

void visit_main(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    seen++;
    if (size == VISIT_TEXT)
        (void)snprintf(last, sizeof last, "%llu: %.*s", (unsigned long long)seen,
                       (int)strnlen(payload, VISIT_TEXT), (const char *)payload);
}
