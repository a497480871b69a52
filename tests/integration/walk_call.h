/* Calls of the function walk, several at a time, and whether their answers are right. */
#ifndef WALK_CALL_H
#define WALK_CALL_H

#include "../shipped/walk.h"

#include <stdbool.h>
#include <tc/group.h>

#define WALK_TEXT_MAX 512
#define WALK_PATH_MAX 256

typedef struct walk_params {
    uint32_t first; /* member that it is sent to */
    uint32_t hops;  /* how often it goes on from there */
    uint32_t base, width;
    uint64_t timeout_ns;
    uint32_t hop_limit; /* 0: the option's */
    bool trace;
} walk_params;

/* Must stay where it is until it is over. */
typedef struct walk_call {
    walk_params params;
    uint32_t group_size;
    bool over;
    tc_status status;
    walk_message answer;
    size_t answer_size;
    uint32_t hops, rank;
    uint32_t path[WALK_PATH_MAX];
    size_t path_length;
    char text[WALK_TEXT_MAX];
} walk_call;

/* Progresses while the member has no space. */
tc_status walk_call_start(tc_group *group, tc_ifunc *walk, const walk_params *params,
                          walk_call *call_out);

/* False: it is not over after a long time. */
bool walk_call_wait(tc_group *group, const walk_call *call);

/* Its answer is of the last member, and shows that it was at all of them in their order. */
bool walk_call_is_right(const walk_call *call);

#endif
