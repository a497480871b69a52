/* A group: processes that address each other by rank, 0 to size - 1.
 *
 * A group has one endpoint to each member, created on first use: a member may send to a rank
 * that it never connected to, also from inside an ifunc. Members reach each other by one
 * address each: the text "host:port" of a listener, or the bytes of tc_context_address. When
 * the endpoint to a rank ends, the next use of that rank connects again.
 *
 * Members trust each other: each says at connecting which rank it is, and nothing authenticates
 * that. A peer's membership is proved as docs/security.md says: by the job's key, by keys of
 * the options, or by the kernel. A group belongs to the thread of its context. */
#ifndef TC_GROUP_H
#define TC_GROUP_H

#include <tc/abi.h>
#include <tc/call.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_group tc_group;

#define TC_GROUP_SIZE_MAX 65536u

/* How to reach a member. */
typedef struct tc_group_member {
    const void *address; /* "127.0.0.1:7000", unterminated, or tc_context_address's bytes */
    size_t size;         /* bytes at address */
} tc_group_member;

/* The values that all members agree on, and this member's rank. */
typedef struct tc_group_params {
    uint64_t id;   /* same on all members, different for other groups; not 0 */
    uint32_t rank; /* this member's */
    uint32_t size; /* number of members */
    /* As many as size; copied. The own one may be empty if the library has the module ucx. */
    const tc_group_member *members;
} tc_group_params;

/* Creates a group from a table of addresses that the members have exchanged by any means. This
 * process must be reachable by its own address already. Does not connect.
 *
 *   params            copied with all addresses
 *   group_out         owned by the context; see tc_group_destroy
 *
 *   TC_OK             the group can be used
 *   TC_E_INVALID      id or size is 0, size is above TC_GROUP_SIZE_MAX, rank is not below size,
 *                     or this context has a group of that id
 *   TC_E_TOO_LARGE    this context has 1024 groups
 *   TC_E_CORRUPT      an address is neither "host:port" nor valid bytes of tc_context_address
 *   TC_E_VERSION      an address is of a process with another protocol
 *   TC_E_UNSUPPORTED  params has a field that this library does not know
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK static inline tc_status tc_group_create(tc_context *ctx,
                                                      const tc_group_params *params,
                                                      tc_group **group_out, tc_error *err)
{
    return tc_group_create_sized(ctx, params, sizeof *params, sizeof *params->members,
                                 group_out, err);
}

/* Creates a group from a list of listeners and opens the listener of `rank`. Members prove that
 * they are such by the group's id, which is made of the list; where others may know the list
 * and reach the listeners, the option `group_secret` makes it of a secret, too.
 *
 *   hosts         "host:port,host:port,...", in the order of the ranks; the same on all members
 *   rank          this member's
 *
 *   TC_OK         the group can be used
 *   TC_E_INVALID  rank is outside the list, or an address is malformed
 *   as tc_group_create
 *   as tc_listener_open */
TC_MUST_CHECK TC_API tc_status tc_group_create_hosts(tc_context *ctx, const char *hosts,
                                                     uint32_t rank, tc_group **group_out,
                                                     tc_error *err);

/* Creates the group of the job that started this process: tc-run, PMIx (mpirun, prterun,
 * Slurm), or the options `group_hosts` and `group_rank`; the first that applies. Without any it
 * is a group of one. Blocks without progressing. Members on one host listen on loopback;
 * members on several hosts listen where the option `group_address` says, and have a key of the
 * job's, unless the options name keys or `listen_any`. A process may join
 * again: its second call meets the second calls of the others. Any context of the process may
 * be used; the calls of several threads wait for each other.
 *
 *   timeout_ns        longest time to wait for the other members; 0 looks once
 *
 *   TC_OK             all members have joined
 *   TC_E_TIMEOUT      not in time; the text names the members that are missing
 *   TC_E_PEER_LOST    a member ended before it joined, or the starter did
 *   TC_E_UNSUPPORTED  PMIx started the process, and libpmix2 or this library's module for it is
 *                     missing; or the job needs a key, and libssl3 or the module for that is
 *   TC_E_VERSION      that module or tc-run is of another version
 *   TC_E_INVALID      an option or the environment of the job is malformed
 *   TC_E_UNREACHABLE  the starter cannot be reached
 *   TC_E_REFUSED      the process at the starter's address belongs to another user
 *   TC_E_CORRUPT      the starter's reply is malformed
 *   TC_E_TOO_LARGE    the job has more than TC_GROUP_SIZE_MAX members
 *   TC_E_BUSY         called from inside an ifunc
 *   as tc_listener_open */
TC_MUST_CHECK TC_API tc_status tc_group_join(tc_context *ctx, uint64_t timeout_ns,
                                             tc_group **group_out, tc_error *err);

/* Closes the group's endpoints and its listener and frees it. The endpoints are flushed and
 * closed together, within the time that tc_ep_close takes for one; the callback receives
 * TC_EP_CLOSED for each. An endpoint that has messages and is not open yet is waited for in
 * that time, too; if its member does not come, they are dropped, and the log says so.
 * tc_context_destroy does so too, without a callback. Called from inside an ifunc it only logs
 * an error. NULL is allowed. */
TC_API void tc_group_destroy(tc_group *group);

/* The values that the group was created with. */
TC_API uint32_t tc_group_rank(const tc_group *group);
TC_API uint32_t tc_group_size(const tc_group *group);
TC_API uint64_t tc_group_id(const tc_group *group);
TC_API tc_context *tc_group_context(const tc_group *group);

#define TC_PROGRAM_NONE UINT32_MAX /* of a rank that the group does not have */
#define TC_PROGRAM_NAME_MAX 64     /* bytes of a program's name, with terminator */

/* Returns the number of the program that a rank runs: the number, from 0, of its part of
 * tc-run's command line, "tc-run -n 1 ./a : -n 3 ./b". In other groups all ranks run program 0,
 * and its name is "". May be called inside an ifunc: the program of the running message's
 * sender is tc_group_program(tc_self_group(), tc_self_origin(), &name).
 *
 *   group      NULL, or a rank that it does not have, gives TC_PROGRAM_NONE and ""
 *   name_out   receives the part's name: 1 to TC_PROGRAM_NAME_MAX - 1 characters of printable
 *              ASCII, the same for all ranks of a program; valid while the group is. May be
 *              NULL
 *
 * tc_group_join has checked the numbers and names of all members. Each member states its own,
 * which proves nothing. */
TC_API uint32_t tc_group_program(const tc_group *group, uint32_t rank, const char **name_out);

/* The endpoint to a rank, this process's own included. Never blocks: a new endpoint accepts
 * messages at once and sends them when the member has completed the handshake. The group owns
 * the endpoint; it is valid until the callback has received TC_EP_CLOSED or TC_EP_FAILED, which
 * it also receives for one that never opened.
 *
 *   TC_OK             *ep_out takes messages
 *   TC_E_NOT_FOUND    the group has no such rank
 *   TC_E_CLOSED       tc_group_destroy is freeing the group's endpoints
 *   TC_E_TOO_LARGE    no more endpoints are possible in this context
 *   TC_E_UNREACHABLE  no route leads to the member's address
 *   TC_E_INVALID      the member's address is malformed
 *   TC_E_UCX          UCX could not create an endpoint
 *   TC_E_IO           the operating system refused; the text says why
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_group_ep(tc_group *group, uint32_t rank, tc_ep **ep_out,
                                           tc_error *err);

/* tc_send to a rank; tc_send_error has the text of either status.
 *
 *   as tc_group_ep
 *   as tc_send */
TC_MUST_CHECK TC_API tc_status tc_group_send(tc_group *group, uint32_t rank, tc_ifunc *fn,
                                             const void *source_args, size_t size);

/* Parameters of tc_group_call_all. A zeroed struct is valid. */
typedef struct tc_group_call_params {
    void *results;          /* receives the replies, rank r's at r * result_capacity; or NULL */
    size_t result_capacity; /* bytes for each rank */
    size_t *sizes;          /* receives the bytes of each rank's reply; or NULL */
    tc_status *statuses;    /* receives how each rank's call ended; or NULL */
    uint64_t timeout_ns;    /* 0: the option call_timeout */
} tc_group_call_params;

/* Calls a function at every rank, this process's own included, and blocks, progressing, until
 * all calls have ended. The calls are under way at the same time. A rank that fails keeps no
 * other from answering.
 *
 *   params          where the replies go; NULL: they are dropped
 *
 *   TC_OK           all ranks have replied
 *   TC_E_BUSY       called from inside an ifunc; nothing was called
 *   TC_E_NO_MEMORY  the calls cannot be recorded; nothing was called
 *   as tc_call
 *   as tc_group_ep
 *
 * Otherwise it is the status of the lowest rank that failed, and err names that rank. sizes and
 * statuses have the values of all ranks, also then. */
TC_MUST_CHECK static inline tc_status tc_group_call_all(tc_group *group, tc_ifunc *fn,
                                                        const void *source_args, size_t size,
                                                        const tc_group_call_params *params,
                                                        tc_error *err)
{
    return tc_group_call_all_sized(group, fn, source_args, size, params, sizeof *params, err);
}

/* Blocks, progressing, until the endpoints to all members are open.
 *
 *   TC_OK           all are open
 *   TC_E_TIMEOUT    not in timeout_ns (0 looks once); the text names the members that are
 *                   missing
 *   TC_E_PEER_LOST  a member was lost meanwhile
 *   TC_E_BUSY       called from inside an ifunc
 *   as tc_group_ep
 *
 * A member whose endpoint failed gives the status that ended it. */
TC_MUST_CHECK TC_API tc_status tc_group_connect(tc_group *group, uint64_t timeout_ns,
                                                tc_error *err);

/* Blocks, progressing (so messages run meanwhile), until all members have called it as often as
 * this one. Messages that members sent before may still be under way.
 *
 *   TC_OK           all members have arrived
 *   TC_E_TIMEOUT    not in timeout_ns (0 looks once), or not in that of rank 0, whose text
 *                   names the members that are missing
 *   TC_E_PEER_LOST  a member was lost before it arrived; the text names it
 *   TC_E_CLOSED     the group was destroyed while a function waited in it
 *   TC_E_BUSY       called from inside an ifunc that is not TC_THREADED (tc/task.h), or this
 *                   member waits in a barrier already
 *   as tc_task_sleep  called from inside one that is TC_THREADED, and that could not wait
 *   as tc_group_ep
 *
 * Rank 0 counts the members that have arrived. When it gives up, so do all others, with its
 * status and text, whatever their own timeout_ns is. A lost rank 0 gives the status that ended
 * the endpoint to it. */
TC_MUST_CHECK TC_API tc_status tc_group_barrier(tc_group *group, uint64_t timeout_ns,
                                                tc_error *err);

/* Returns how many messages of this member could not be forwarded by another member, among
 * those that are no calls (tc_group_send, then tc_forward). err receives why the newest could
 * not; it stays as it was if there is none. */
TC_API uint64_t tc_group_failures(const tc_group *group, tc_error *err);

#ifdef __cplusplus
}
#endif
#endif
