/* Counts the calls of a function until it is worth better code: when it was called often, or
 * when its calls have taken longer than making that code would.
 *
 * Its calls_left come down by one with each call, and nothing else happens until they are 0.
 * Then that one call is timed, if better code could still come, and they begin anew: the first
 * calls and then one of 32, each for all since the one before; or every call, when calls take so
 * long that timing them is nothing beside it. Code that stays has more calls left than anybody
 * makes, so its calls are never timed. */
#ifndef TCI_CALL_COUNT_H
#define TCI_CALL_COUNT_H

#include "ifunc/registry.h"

/* Before each call: whether it is that one. */
static inline bool tci_call_count_is_due(tc_ifunc *fn)
{
    return __builtin_expect(--fn->calls_left == 0, 0);
}

/* That call, of the function's entry. */
void tci_call_count_run_timed(tc_ifunc *fn, void *payload, size_t payload_size,
                              void *target_args);

/* Any call. */
static inline void tci_call_count_run(tc_ifunc *fn, void *payload, size_t payload_size,
                                      void *target_args)
{
    if (tci_call_count_is_due(fn))
        tci_call_count_run_timed(fn, payload, payload_size, target_args);
    else
        fn->entry.main(payload, payload_size, target_args);
}

#endif
