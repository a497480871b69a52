/* Round trips of a word in memory that two processes share: they show whether the processors of
 * both are near or far. */
#ifndef TC_PERF_WORD_TRIPS_H
#define TC_PERF_WORD_TRIPS_H

#include <stdbool.h>
#include <stdint.h>

/* Both processes at once. The first one writes *ping and awaits *pong, the second one the other
 * way round. `begin`: the value of both words, read before either process may have begun; both
 * differ from it by the same at the end. *p50_ns_out: half of a round trip, of which there
 * are fewer where they take long. False: a word did not come within
 * the time. */
bool word_trips_measure(uint64_t *ping, uint64_t *pong, uint64_t begin, bool is_first,
                        uint64_t timeout_ns, double *p50_ns_out);

#endif
