/* Replies how many calls of all functions were counted where it runs, and of all peers. */
#include <tc/entry.h>
#include <tc/usage.h>

static void add(void *user, const tc_usage_entry *entry)
{
    uint64_t *sums = user;
    if (entry->struct_size >= sizeof *entry && entry->kind != TC_USAGE_IDENTITY)
        sums[entry->kind == TC_USAGE_PEER] += entry->calls;
}

void told_usage_main(void *payload, size_t size, void *target_args)
{
    uint64_t sums[2] = {0, 0};
    (void)payload, (void)size, (void)target_args;
    if (tc_usage_visit(tc_ep_context(tc_self_endpoint()), add, sums) == TC_OK)
        (void)tc_reply(sums, sizeof sums);
    else
        (void)tc_reply_error(TC_E_UNSUPPORTED, "told_usage: nothing is counted");
}
