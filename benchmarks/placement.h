/* Where two processors lie, as a word that travels between them shows: a hypervisor may move
 * them while a program runs, and every other figure moves with them. */
#ifndef TC_PERF_PLACEMENT_H
#define TC_PERF_PLACEMENT_H

#include "perf_stats.h"

#include <stdbool.h>

typedef enum placement_kind {
    PLACEMENT_NEAR,   /* they share a cache */
    PLACEMENT_FAR,    /* they do not */
    PLACEMENT_SHARED, /* both processes take turns on one, or wait for others */
    PLACEMENT_MIXED,  /* it changed */
    PLACEMENT_COUNT
} placement_kind;

/* By half a round trip of a word. */
placement_kind placement_of(double word_ns);

/* A round's, by the words in front of it and behind it. */
placement_kind placement_of_round(double before_ns, double after_ns);

/* Many rounds', by the quartiles of their words. */
placement_kind placement_of_words(perf_spread word_ns);

/* "near", "far", "shared", "mixed". */
const char *placement_name(placement_kind of);

/* The half round trip of a word between the source's processor and one of others. */
typedef struct placement_pair {
    int cpu; /* of the target */
    double word_ns;
} placement_pair;

/* Sorts the pairs and moves one of the near and one of the far ones to the front. Returns how
 * many these are: 0 to 2. Each is the middle one of its class, of two the farther one: threads
 * of one core are taken where there is no other pair. */
unsigned placement_choose(placement_pair *pairs, unsigned count);

#endif
