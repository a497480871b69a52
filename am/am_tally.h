/* Counted units at their target: those without output that end by a flush. They are
 * not answered; the origin asks now and then how many have run (TCA_MARK). */
#ifndef TCA_AM_TALLY_H
#define TCA_AM_TALLY_H

#include <stdbool.h>
#include <tc/am.h>

typedef struct tca_failure {
    tc_status status;
    char text[TC_AM_TEXT_MAX];
} tca_failure;

/* Of one origin, since its last mark. */
typedef struct tca_tally_entry {
    uint64_t run;         /* units, also those that failed */
    tca_failure *failure; /* the first one; or NULL */
} tca_tally_entry;

typedef struct tca_tally {
    tca_tally_entry *entries; /* by rank; NULL: no counted unit has come yet */
    uint32_t ranks;
} tca_tally;

/* The answer to TCA_MARK: 16 bytes, and a text without terminator if status is not TC_OK. */
typedef struct tca_tally_facts {
    uint64_t run;
    int32_t status;  /* of the first failure */
    uint32_t unused; /* 0 */
} tca_tally_facts;

/* Counts a unit of an origin. Without memory for its record nothing is counted, so the origin
 * finds that units are missing.
 *
 *   status  of its failure; or TC_OK */
void tca_tally_count(tca_tally *tally, uint32_t ranks, uint32_t origin, tc_status status,
                     const char *text);

/* Takes an origin's numbers, and begins anew.
 *
 *   text_out  TC_AM_TEXT_MAX bytes */
tca_tally_facts tca_tally_take(tca_tally *tally, uint32_t origin, char *text_out);

void tca_tally_free(tca_tally *tally);

#endif
