/* Lookups in all ways, timed and compared with the right values. */
#ifndef INDEX_MEASURE_H
#define INDEX_MEASURE_H

#include "index_arguments.h"
#include "index_find.h"

/* Looks keys up in rounds, in which the ways take turns. All ranks call it, and meet before
 * each way if there is no delay; owners only meet. Rank 0 prints the time of a lookup in each
 * way. *wrong_out: how many found something else than they had to. False: one failed. */
bool index_measure(index_client *c, const index_arguments *args, uint64_t *wrong_out);

/* Prints why something failed. Returns whether it did not. */
bool index_check(tc_status status, const tc_error *err, const char *what);

/* Waits for all ranks, and serves meanwhile. */
bool index_meet(index_client *c, const char *where);

#endif
