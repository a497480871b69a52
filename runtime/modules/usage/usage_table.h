/* The entries that are counted: functions by content id, peers, identities.
 *
 * The context's thread makes entries and counts in them. Other threads read: each number is
 * stored at once, and the lock is held where entries are made, freed or copied, which no call
 * does that has an entry already. Entries of functions and identities stay until the context
 * ends. A peer's entry is freed with its endpoint, and added to "other". */
#ifndef TCI_USAGE_TABLE_H
#define TCI_USAGE_TABLE_H

#include "core/usage_ops.h"
#include "modules/usage/usage_times.h"

#include <pthread.h>
#include <tc/usage.h>

#define TCI_USAGE_KINDS 3u /* of tc_usage_kind */
#define TCI_USAGE_BUCKETS 4096u

typedef struct tci_usage_counts {
    uint64_t calls, bytes;
    uint64_t turns, turns_full;
    uint64_t loads, load_ns;
    uint64_t refusals, evictions;
} tci_usage_counts;

typedef struct tci_usage_item {
    tci_usage_counts counts;
    uint64_t until;         /* of a function: calls until one is timed, that one included */
    uint32_t period;        /* that distance on average */
    uint32_t timed_so;      /* calls that were timed at this period */
    tci_usage_times *times; /* NULL: without times */
    struct tci_usage_item *identity;    /* of a peer */
    struct tci_usage_item *bucket_next; /* of a function; bound: TC_USAGE_FUNCTIONS_MAX */
    size_t index;                       /* in its table */
    uint32_t number;                    /* of a peer: its connection */
    uint32_t peers;                     /* of an identity: those that are connected */
    bool is_other;
    bool has_id;
    tci_content_id id;
    char name[]; /* printable */
} tci_usage_item;

typedef struct tci_usage_table {
    tci_usage_item **items;
    size_t count, capacity, max;
    tci_usage_item *other;
} tci_usage_table;

typedef struct tci_usage {
    tci_usage_ops ops; /* first: core->usage points at it */
    bool times;        /* the option is `times` */
    bool has_lock;
    uint64_t random;                 /* of the distances between timed calls */
    uint64_t turn_calls, turn_bytes; /* of the batch that runs */
    pthread_mutex_t lock;
    tci_usage_table tables[TCI_USAGE_KINDS]; /* by tc_usage_kind */
    tci_usage_item *injected;                /* NULL until injected code has run */
    tci_usage_item *buckets[TCI_USAGE_BUCKETS];
} tci_usage;

static inline tci_usage *tci_usage_table_of(const tci_core *core)
{
    return (tci_usage *)(uintptr_t)core->usage;
}

/* TC_E_NO_MEMORY; tci_usage_table_fini follows in any case. */
TC_MUST_CHECK tc_status tci_usage_table_init(tci_usage *u, tc_error *err);
void tci_usage_table_fini(tci_usage *u);

/* Find the entry, or make it; without memory or capacity, "other". */
tci_usage_item *tci_usage_table_new_function(tci_usage *u, tc_ifunc *fn);
static inline tci_usage_item *tci_usage_table_function(tci_usage *u, tc_ifunc *fn)
{
    return __builtin_expect(fn->usage != NULL, 1) ? fn->usage
                                                  : tci_usage_table_new_function(u, fn);
}
tci_usage_item *tci_usage_table_injected(tci_usage *u);
tci_usage_item *tci_usage_table_new_peer(tci_usage *u, tc_ep *ep);
static inline tci_usage_item *tci_usage_table_peer(tci_usage *u, tc_ep *ep)
{
    return __builtin_expect(ep->usage != NULL, 1) ? ep->usage : tci_usage_table_new_peer(u, ep);
}

/* Frees the peer's entry. */
void tci_usage_table_leave(tci_usage *u, tc_ep *ep);

/* Adds to a number that other threads may read. */
static inline void tci_usage_table_add(uint64_t *number, uint64_t more)
{
    __atomic_store_n(number, *number + more, __ATOMIC_RELAXED);
}

#endif
