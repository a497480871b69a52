/* Counts the calls of a function until it is worth better code: when it was called often, or
 * when its calls have taken longer than making that code would.
 *
 * `calls_left` decreases by one with each call, and no other work is done until it is 0. The
 * call that reaches 0 is timed, if better code could still come, and the count starts again:
 * the first calls are timed and then one of 32, each for all calls since the previous one. If
 * calls take so long that timing costs nothing in comparison, every call is timed. Code that is
 * not replaced has more calls left than any program makes, so its calls are never timed. */
#ifndef TCI_CALL_COUNT_H
#define TCI_CALL_COUNT_H

#include "base/assertion.h"
#include "ifunc/registry.h"

/* Called before each call. Returns whether this call is the one to be timed. */
static inline bool tci_call_count_is_due(tc_ifunc *fn)
{
    return __builtin_expect(--fn->calls_left == 0, 0);
}

/* Makes that call of the function's entry, and times it. */
void tci_call_count_run_timed(tc_ifunc *fn, void *payload, size_t payload_size,
                              void *target_args);

/* Makes any call. */
static inline void tci_call_count_run(tc_ifunc *fn, void *payload, size_t payload_size,
                                      void *target_args)
{
    TCI_INVARIANT(slot_callable, fn->state == TCI_LOADED && fn->entry.main != NULL);
    if (tci_call_count_is_due(fn))
        tci_call_count_run_timed(fn, payload, payload_size, target_args);
    else
        fn->entry.main(payload, payload_size, target_args);
}

#endif
