/* What peers of one identity may take together. An account is kept for each identity, from its
 * first HELLO on; peers that have proved nothing share one. Without quotas there are no accounts,
 * and an endpoint's is NULL. Functions that are held are counted where they are
 * (dispatch/slot_quota.h).
 *
 * Messages per second are a bucket that fills by the clock: who has emptied it is not read until
 * there is something in it, so nothing is lost and nobody else waits. It holds what a second
 * brings, and is filled when it is almost empty: so at most twice that comes at once. */
#ifndef TCI_QUOTA_H
#define TCI_QUOTA_H

#include "core/ep.h"

typedef struct tci_account {
    struct tci_account *next;
    char identity[sizeof((tci_peer *)NULL)->identity];
    unsigned endpoints;   /* whose account this is */
    unsigned connections; /* those of them that peers made */
    size_t queue_bytes;   /* of all its endpoints */
    int64_t messages;     /* that may come now; below zero: too many came */
    uint64_t filled_ns;   /* for which that is true */
    uint64_t compile_ns;  /* of the minute that began at compile_since_ns */
    uint64_t compile_since_ns;
} tci_account;

/* "peers of identity 'key:cluster'". */
#define TCI_QUOTA_NAME_MAX (sizeof((tci_peer *)NULL)->identity + 32)
const char *tci_quota_name(const tci_account *account, char out[TCI_QUOTA_NAME_MAX]);

/* Who is there has just been heard. TC_E_REFUSED: option quota_connections. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_quota_admit(tc_ep *ep, tc_error *err);
/* The endpoint is being freed. */
void tci_quota_leave(tc_ep *ep);
/* With the core. */
void tci_quota_fini(tci_core *core);

/* So many bytes more (or less) wait for the peer. */
void tci_quota_queue(tc_ep *ep, ptrdiff_t bytes);
/* How many may wait, of which so many do; SIZE_MAX: any number. */
size_t tci_quota_queue_max(const tc_ep *ep);

/* Of an endpoint whose rx.metered is set: how many bytes of its ring may be read, of those that
 * could be. 0: none before there is a message in the bucket; its ring then stands. */
uint64_t tci_quota_turn(tc_ep *ep, uint64_t bytes);
void tci_quota_spend(tc_ep *ep, uint64_t messages);
/* Whether it waits for the bucket. */
bool tci_quota_waits(tc_ep *ep);

/* TC_E_NO_MEMORY: what was compiled for it in this minute took quota_compile_time. */
TC_MUST_CHECK tc_status tci_quota_check_compile(tc_ep *ep, tc_error *err);
void tci_quota_charge_compile(tc_ep *ep, uint64_t ns);

#endif
