/* The usage of a context: the calls of each function, peer and identity, their bytes, and the
 * time that they took. The option `usage` chooses:
 *
 *   off     nothing is counted; a message takes not one instruction more
 *   counts  calls, bytes, turns, loads, refusals and evictions, each exactly
 *   times   the same, and the run time of a sample of the calls
 *
 * It is `off` by default, and `counts` in tc-node.
 *
 * A call is a message that runs a function: a message of tc_send, a call, a message that was
 * sent on. Replies are no calls. Its bytes are those of the payload that the function gets. A
 * turn is a series of calls of one peer that the context runs without looking at others: more
 * calls a turn mean that messages wait, and a full turn has left some behind.
 *
 * The run time of a call lasts until the function returns; of one that waits (tc/task.h),
 * until it first waits. The first TC_USAGE_TIMED_FIRST calls of a function are timed, then as
 * many of every second call, of every fourth, and so on, down to one of TC_USAGE_TIMED_EVERY on
 * average. Distances are random, so that calls which take turns are sampled alike.
 * Percentiles are within 5 % of those of all calls where some thousand calls were sampled, and
 * include the cost of one reading of the clock. The code of tc_send_injected is not timed.
 *
 * Bounds. Entries are kept for TC_USAGE_FUNCTIONS_MAX functions, by content id,
 * TC_USAGE_PEERS_MAX connected peers and TC_USAGE_IDENTITIES_MAX identities. Each kind has one
 * more entry named "other": for functions and identities beyond the bound, and for peers beyond
 * it and those that have gone. A peer that sends ever new functions can fill the table of
 * functions, and hide those of others in "other"; the option quota_functions limits it. */
#ifndef TC_USAGE_H
#define TC_USAGE_H

#include <tc/abi.h>
#include <tc/context.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_USAGE_FUNCTIONS_MAX 16384
#define TC_USAGE_PEERS_MAX 4096
#define TC_USAGE_IDENTITIES_MAX 1024

#define TC_USAGE_TIMED_FIRST 64
#define TC_USAGE_TIMED_EVERY 128

typedef enum tc_usage_kind {
    TC_USAGE_FUNCTION = 0,
    TC_USAGE_PEER = 1,
    TC_USAGE_IDENTITY = 2
} tc_usage_kind;

/* The library makes this struct; later versions append fields, and struct_size shows which
 * there are. Texts are printable ASCII. Texts and ids are valid during the callback. */
typedef struct tc_usage_entry {
    uint64_t struct_size; /* bytes, of this version */
    tc_usage_kind kind;
    uint32_t peer; /* of a peer: its number in the log and the audit; otherwise 0 */
    /* of a function: its name, or "injected" for the code of tc_send_injected; of a peer: its
     * address, "127.0.0.1:40212", or "" of a peer by UCX alone; of an identity:
     * "cert:CN=node7", or "" for peers that have proved none. "other": see above */
    const char *name;
    const uint8_t *id;    /* of a function: its content id, 16 bytes; otherwise NULL */
    const char *identity; /* of a peer, and of an identity the same as name; otherwise "" */
    uint32_t is_other;    /* 1: the entry is "other" */
    uint32_t peers;       /* of an identity: peers that are connected; of a peer: 1 */

    uint64_t calls;
    uint64_t bytes;
    uint64_t turns;      /* with calls, of peers and identities; otherwise 0 */
    uint64_t turns_full; /* that ended at their bound, with messages left */
    uint64_t loads;      /* of a function: how often its code became callable, or better */
    uint64_t load_ns;    /* time of these loads, waiting included */
    uint64_t refusals;   /* functions that were refused: of a function, peer, identity */
    uint64_t evictions;  /* of a function */

    uint64_t timed;   /* calls in the sample of run times */
    uint64_t time_ns; /* estimated run time of all calls together; 0: timed is 0 */
    uint64_t p50_ns;  /* estimated percentiles of the run time of a call; 0 likewise */
    uint64_t p99_ns;
} tc_usage_entry;

/* Called for each entry; may call nothing of this library. */
typedef void (*tc_usage_visitor)(void *user, const tc_usage_entry *entry);

/* Calls the callback for each function that was called, loaded or refused, then for each peer,
 * then for each identity; "other" is the last of its kind, and absent while all of it is 0. Any
 * thread may call this while the context lives, also while another one progresses it; a shipped
 * function may, too. The calls of a turn are added when it ends. A message waits at most for
 * the copy of one entry.
 *
 *   ctx       a context
 *   callback  is called in this thread
 *   user      passed on to it
 *
 *   TC_OK             it was called for all entries
 *   TC_E_UNSUPPORTED  the option usage is off, or the library was built without the module
 *                     `usage`: the callback was not called */
TC_API tc_status tc_usage_visit(tc_context *ctx, tc_usage_visitor callback, void *user);

#ifdef __cplusplus
}
#endif
#endif
