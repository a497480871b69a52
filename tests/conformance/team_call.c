#include "team_call.h"
#include "../support/test.h"

void call_record_note(void *user, const tc_call_outcome *outcome)
{
    call_record *s = user;
    s->calls++;
    s->status = outcome->status;
    s->size = outcome->result_size;
    s->hops = outcome->hops;
    s->rank = outcome->rank;
    s->path_length = outcome->path_length;
    for (size_t i = 0; i < outcome->path_length; i++)
        s->path[i] = outcome->path[i];
    (void)snprintf(s->text, sizeof s->text, "%s", outcome->text != NULL ? outcome->text : "");
}

void team_turn(team *t)
{
    assert_int_not_equal(tc_wait(t->contexts[0], 1000000), TC_E_BUSY);
}

void call_record_wait(team *t, const call_record *s)
{
    while (s->calls == 0)
        team_turn(t);
}

tc_status team_call(team *t, uint32_t rank, const travel_order *order, void *result,
                    size_t *size, tc_error *error)
{
    return tc_call(team_ep(t, rank), t->fn, order, sizeof *order, result, size, TEAM_TIMEOUT_NS,
                   error);
}
