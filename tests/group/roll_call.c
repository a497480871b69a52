#include "roll_call.h"

#include "../shipped/whoami.h"

#include <inttypes.h>
#include <stdio.h>

#define DEADLINE_NS 60000000000ull /* only ends processes that hang */

static int failed(const char *what, tc_status status, const tc_error *err)
{
    printf("%s: %s: %s\n", what, tc_status_name(status), err->text);
    return 1;
}

static void tell_way(const tc_group *group, uint32_t rank, const tc_ep *ep)
{
    tc_ep_info info;
    tc_ep_query(ep, &info);
    if (rank != tc_group_rank(group))
        printf("%u meets %u as '%s' by %s\n", tc_group_rank(group), rank, info.peer_identity,
               info.delivery);
}

static int ask(tc_group *group, tc_ifunc *whoami, uint32_t rank)
{
    tc_ep *ep;
    tc_error err = {TC_OK, ""};
    whoami_answer answer = {0, 0, 0};
    size_t size = sizeof answer;
    tc_status status = tc_group_ep(group, rank, &ep, &err);
    if (status == TC_OK)
        status = tc_call(ep, whoami, NULL, 0, &answer, &size, DEADLINE_NS, &err);
    if (status != TC_OK)
        return failed("call", status, &err);
    if (size == sizeof answer && answer.rank == rank && answer.size == tc_group_size(group) &&
        answer.origin == tc_group_rank(group)) {
        tell_way(group, rank, ep);
        return 0;
    }
    printf("wrong: rank %u of %u, asked by %u, in %zu bytes\n", answer.rank, answer.size,
           answer.origin, size);
    return 1;
}

static int ask_all(tc_group *group)
{
    tc_ifunc *whoami;
    tc_error err;
    tc_status status = tc_ifunc_open(tc_group_context(group), "whoami", &whoami, &err);
    int failures = status == TC_OK ? 0 : failed("open", status, &err);
    for (uint32_t rank = 0; rank < tc_group_size(group) && failures == 0; rank++)
        failures += ask(group, whoami, rank);
    return failures;
}

int roll_call(tc_group *group)
{
    tc_error err;
    int failures = ask_all(group);
    /* Others may still be asking. */
    tc_status status = tc_group_barrier(group, DEADLINE_NS, &err);
    if (status != TC_OK)
        failures += failed("barrier", status, &err);
    if (failures == 0)
        printf("rank %u of %u id %016" PRIx64 "\n", tc_group_rank(group), tc_group_size(group),
               tc_group_id(group));
    tc_group_destroy(group);
    return failures != 0;
}
