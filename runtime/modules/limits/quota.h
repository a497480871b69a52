/* Quotas: limits that all peers of one identity share. An account is kept for each identity,
 * from its first HELLO on; peers that have proved nothing share one. Without quotas there are
 * no accounts, and an endpoint's is NULL. core/limits.h describes the functions.
 *
 * Messages per second are a bucket that fills by the clock. Rings of an identity with an empty
 * bucket are not read until it holds messages again, so no message is lost and no other peer
 * waits. The bucket holds the messages of one second, and is filled when it is almost empty: so
 * at most twice that number comes at once. */
#ifndef TCI_QUOTA_H
#define TCI_QUOTA_H

#include "core/ep.h"

/* Twice the connections of a context: identities that have connections now, or had some within
 * the last minute. */
#define TCI_ACCOUNTS_MAX 130000u

typedef struct tci_account {
    struct tci_account *next; /* bound: TCI_ACCOUNTS_MAX */
    char identity[sizeof((tci_peer *)NULL)->identity];
    unsigned endpoints;   /* that use this account */
    unsigned connections; /* those of them that peers made */
    size_t queue_bytes;   /* of all its endpoints */
    size_t tasks;         /* of all its endpoints */
    int64_t messages;     /* that may run now; below zero: too many ran */
    uint64_t filled_ns;   /* the time at which `messages` was last filled */
    uint64_t compile_ns;  /* of the minute that began at compile_since_ns */
    uint64_t compile_since_ns;
} tci_account;

TC_MUST_CHECK tc_status tci_quota_admit(tci_account **accounts, tc_ep *ep, tc_error *err);
void tci_quota_leave(tc_ep *ep);
/* Frees all accounts. */
void tci_quota_fini(tci_account **accounts);

void tci_quota_queue(tc_ep *ep, size_t before);
size_t tci_quota_queue_left(const tc_ep *ep);

/* For an endpoint with rx.metered: returns how many of `bytes` in its ring may be read. 0: no
 * byte until a message is in the bucket; the ring is paused then. */
uint64_t tci_quota_turn(tc_ep *ep, uint64_t bytes);
void tci_quota_spend(tc_ep *ep, uint64_t messages);
bool tci_quota_waits(tc_ep *ep);

TC_MUST_CHECK tc_status tci_quota_check_code(const tc_ep *ep, const tci_code_section *section,
                                             const tc_ifunc *known, tc_error *err);
TC_MUST_CHECK tc_status tci_quota_check_compile(tc_ep *ep, tc_error *err);
void tci_quota_charge_compile(tc_ep *ep, uint64_t ns);
bool tci_quota_may_add_task(const tc_ep *ep);
void tci_quota_count_task(tc_ep *ep, int more);

#endif
