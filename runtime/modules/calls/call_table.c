#include "modules/calls/call_table.h"

#include "base/error_text.h"

/* TCI_CALLS_MAX is 16 doubled several times. */
static tc_status grow(tci_calls *calls, tc_error *err)
{
    TCI_INVARIANT_IS(call_table, calls->count, ==, calls->places);
    if (calls->places == TCI_CALLS_MAX)
        return tci_error_set(err, TC_E_AGAIN,
                             "call: %zu calls wait for their replies, expected %u at most",
                             calls->count + 1, TCI_CALLS_MAX);
    size_t places = calls->places == 0 ? 16 : 2 * calls->places;
    /* bound: TCI_CALLS_MAX */
    tci_call *table = realloc(calls->table, places * sizeof *table);
    if (table == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "call: out of memory");
    for (size_t i = calls->places; i < places; i++)
        table[i] = (tci_call){.next_free = i + 1 < places ? (uint32_t)i + 2 : 0};
    calls->free = (uint32_t)calls->places + 1;
    calls->table = table;
    calls->places = places;
    return TC_OK;
}

tc_status tci_call_table_open(tci_calls *calls, tci_call **call_out, tc_call_id *id_out,
                              tc_error *err)
{
    if (calls->free == 0)
        TC_TRY(grow(calls, err));
    TCI_INVARIANT_IS(call_table, calls->free, <=, calls->places);
    TCI_INVARIANT_IS(call_table, calls->count, <, calls->places);
    tci_call *call = &calls->table[calls->free - 1];
    TCI_INVARIANT(call_open, !call->is_open && call->path == NULL);
    uint32_t generation = tci_random_words_next(&calls->random);
    generation += generation == call->generation;
    *id_out = (uint64_t)generation << 32 | calls->free;
    calls->free = call->next_free;
    calls->count++;
    TCI_INVARIANT(call_id, generation != call->generation);
    call->generation = generation;
    call->is_open = true;
    call->received = call->in_fragments = 0;
    call->path_length = 0;
    *call_out = call;
    return TC_OK;
}
