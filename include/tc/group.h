/* A group: processes that know each other by rank, 0 to size - 1.
 *
 * A group has an endpoint to each member, made when it is first needed: a member may send to a
 * rank that it never connected to, also from inside an ifunc. Members find each other by an
 * address each: the text "host:port" of a listener, or the bytes of tc_context_address.
 *
 * The endpoint of a rank that went is given up, and the next use of that rank tries to connect
 * again. */
#ifndef TC_GROUP_H
#define TC_GROUP_H

#include <tc/call.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_group tc_group;

#define TC_GROUP_SIZE_MAX 65536u

/* Where to reach a member. */
typedef struct tc_group_member {
    const void *address; /* "127.0.0.1:7000" (not terminated), or tc_context_address's bytes */
    size_t size;
} tc_group_member;

/* What all members have to agree on, and who this one is. */
typedef struct tc_group_params {
    uint64_t id; /* the same for all members, and of no other group among them; not 0 */
    uint32_t rank;
    uint32_t size;
    const tc_group_member *members; /* `size` of them; copied. This side's own may be empty */
} tc_group_params;

TC_MUST_CHECK TC_API tc_status tc_group_create_sized(tc_context *ctx,
                                                     const tc_group_params *params,
                                                     size_t params_size, size_t member_size,
                                                     tc_group **group_out, tc_error *err);

/* From a table of addresses that the members have exchanged by any means. This side must be
 * reachable by its own address already. TC_E_INVALID (a rank outside the size, an id in use
 * here), TC_E_CORRUPT (an address), TC_E_NO_MEMORY. err may be NULL. */
TC_MUST_CHECK static inline tc_status tc_group_create(tc_context *ctx,
                                                      const tc_group_params *params,
                                                      tc_group **group_out, tc_error *err)
{
    return tc_group_create_sized(ctx, params, sizeof *params, sizeof *params->members,
                                 group_out, err);
}

/* From a list of listeners, "host:port,host:port,...", in the order of the ranks and the same
 * for all members. Opens the one of `rank`. Statuses of tc_listener_open too. */
TC_MUST_CHECK TC_API tc_status tc_group_create_hosts(tc_context *ctx, const char *hosts,
                                                     uint32_t rank, tc_group **group_out,
                                                     tc_error *err);

/* By what this process was started with: tc-run, PMIx (mpirun, prterun, Slurm), or the options
 * `group_hosts` and `group_rank` (a list as for tc_group_create_hosts); the first of these that
 * applies. Without any it is a group of one. Blocks for timeout_ns at most, without
 * progressing. Members of one host listen on loopback; those of several where the option
 * `group_address` says. A process may join again: its second call meets the second calls of the
 * others. TC_E_TIMEOUT (the text names who has not come), TC_E_PEER_LOST (a member has ended
 * before it joined), TC_E_UNSUPPORTED and TC_E_VERSION (PMIx is absent, or another one),
 * TC_E_INVALID (options, or an environment that makes no sense), TC_E_UNREACHABLE,
 * TC_E_REFUSED, TC_E_BUSY (from inside an ifunc), and those of tc_listener_open. err may be
 * NULL. */
TC_MUST_CHECK TC_API tc_status tc_group_join(tc_context *ctx, uint64_t timeout_ns,
                                             tc_group **group_out, tc_error *err);

/* Closes its endpoints and listener. The context's end does this too. Not from inside an ifunc.
 */
TC_API void tc_group_destroy(tc_group *group);

TC_API uint32_t tc_group_rank(const tc_group *group);
TC_API uint32_t tc_group_size(const tc_group *group);
TC_API uint64_t tc_group_id(const tc_group *group);
TC_API tc_context *tc_group_context(const tc_group *group);

/* The endpoint of a rank, this side's own included. Never blocks: an endpoint that is made now
 * takes messages, and sends them when the member has answered. It is the group's, and valid
 * until TC_EP_CLOSED or TC_EP_FAILED was called for it. TC_E_NOT_FOUND (no such rank),
 * TC_E_NO_MEMORY, TC_E_UNREACHABLE. err may be NULL. */
TC_MUST_CHECK TC_API tc_status tc_group_ep(tc_group *group, uint32_t rank, tc_ep **ep_out,
                                           tc_error *err);

/* tc_send to a rank. */
TC_MUST_CHECK TC_API tc_status tc_group_send(tc_group *group, uint32_t rank, tc_ifunc *fn,
                                             const void *source_args, size_t size);

/* Waits, progressing, until the endpoints to all members are open. TC_E_TIMEOUT (the text names
 * the members that are missing), TC_E_PEER_LOST, TC_E_BUSY. err may be NULL. */
TC_MUST_CHECK TC_API tc_status tc_group_connect(tc_group *group, uint64_t timeout_ns,
                                                tc_error *err);

/* Waits, progressing (so messages are run meanwhile), until all members have called it as often
 * as this one. What members sent before may still be under way. TC_E_TIMEOUT (at rank 0 the
 * text names who has not come), TC_E_PEER_LOST, TC_E_BUSY. err may be NULL. */
TC_MUST_CHECK TC_API tc_status tc_group_barrier(tc_group *group, uint64_t timeout_ns,
                                                tc_error *err);

/* Of messages that were sent on from member to member without a call to answer (tc_group_send,
 * then tc_forward): how many got stuck and came to this side's notice, as their origin; and why
 * the newest did (err may be NULL). */
TC_API uint64_t tc_group_failures(const tc_group *group, tc_error *err);

#ifdef __cplusplus
}
#endif
#endif
