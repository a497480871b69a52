/* Calls from rank 0 of a team, and their results. */
#ifndef TEAM_CALL_H
#define TEAM_CALL_H

#include "../shipped/travel.h"
#include "../support/team.h"

#include <tc/call.h>

typedef struct call_record {
    unsigned calls;
    tc_status status;
    size_t size;
    uint32_t hops;
    uint32_t rank;
    uint32_t path[300];
    size_t path_length;
    char text[TC_ERROR_TEXT_MAX];
} call_record;

/* Progresses until something happens, or a moment longer: answers without a caller wake no
 * caller. */
void team_turn(team *t);

/* For the parameter `done` of a call, with the record as its user. */
void call_record_note(void *user, const tc_call_outcome *outcome);
void call_record_wait(team *t, const call_record *s);

/* Calls the function of the team at a rank, and waits for its answer. */
tc_status team_call(team *t, uint32_t rank, const travel_order *order, void *result,
                    size_t *size, tc_error *error);

#endif
