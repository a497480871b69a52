/* The receiving part of an endpoint: our ring, the meaning of the peer's slot numbers here, and
 * data that comes beside the ring. */
#ifndef TCI_RECEIVER_H
#define TCI_RECEIVER_H

#include "base/landing.h"
#include "delivery/delivery.h"
#include "delivery/region.h"
#include "delivery/segment.h"
#include "ring/consumer.h"
#include "wire/frame.h"
#include "wire/hello.h"

#include <tc/ifunc.h>

/* The meaning of a slot number of the peer here; see dispatch/slots.h. */
typedef struct tci_rx_slot {
    /* NULL: not callable, or it requires more payload alignment than frames have by
     * themselves */
    void (*main)(void *payload, size_t payload_size, void *target_args);
    tc_ifunc *fn;              /* held; NULL: never bound, refused, or evicted */
    tci_code_section *evicted; /* describes its code after eviction; NULL: not evicted */
    bool callable;
    bool is_signed; /* the peer sends a signature with it */
    bool notify;    /* the peer waits for PREPARED or REFUSED */
} tci_rx_slot;

/* Code that comes outside the ring, while its frame waits at the ring's head. */
typedef struct tci_incoming_code {
    bool wanted;
    bool for_filled; /* the frame names values for this code: modules/holes/code_wait.c */
    tci_code_section section;
    uint8_t *bytes; /* archive, deps, signature */
    size_t received;
} tci_incoming_code;

/* A payload that comes in fragments. */
typedef struct tci_assembly {
    tci_landing landing; /* staging buffer, kept for the next payload, within bounds */
    uint64_t total;      /* bytes; 0: no payload is under way */
    uint64_t received;
    bool dropped; /* refused: the rest is skipped */
} tci_assembly;

/* Credit that must not overtake frames, nor earlier credit. */
typedef struct tci_due_credit {
    bool due, again;                    /* credit waits; more was requested meanwhile */
    uint64_t mark;                      /* batches of frames that have to arrive first */
    uint64_t head;                      /* the consumed position that it reports */
    struct tci_single_message *message; /* NULL until one is sent */
    bool shared;                        /* the peer has a share: it may wait for all credit */
    uint64_t next_round, counted;       /* of tci_shares: next round to count in; head then */
} tci_due_credit;

#define TCI_UNWATCHED SIZE_MAX

typedef struct tci_receiver {
    tci_consumer ring;
    size_t watched_at;            /* its index in the core's array, or TCI_UNWATCHED */
    tci_delivery_arrival arrival; /* how the peer fills our ring; from its READY */
    tci_rx_slot *slots;
    size_t slot_count;
    bool held;          /* open, and not announced yet: nothing is run; tci_ep_announced */
    bool paused;        /* not polled: dispatch/dispatch.h, core/limits.h */
    uint64_t paused_ns; /* when it was paused, or last read since */
    bool metered;       /* messages per second are limited; core/limits.h */
    bool loading;       /* the frame at the head waits for its function to be loaded */
    uint64_t run_messages;

    tci_due_credit credit;
    tci_region *region;
    uint64_t ring_memory; /* the ring's part of the core's ring_memory */
    tci_incoming_code incoming;
    tci_assembly assembly;
    tci_segment staged;            /* the peer's segment that holds its staged payloads */
    struct tci_inbound *inbound;   /* transfer/payload_in.h; NULL until first used */
    struct tci_record_in *records; /* endpoint/record_in.h; NULL: the link is not a stream */
    unsigned payload_alignment;    /* the greatest that a function bound here requires */
    uint64_t looked_ahead;         /* requests up to here are answered: dispatch/needs.h */
    uint64_t looked_signal;        /* of a frame there */
} tci_receiver;

#define TCI_LOOKED_AT_ALL UINT64_MAX /* a frame breaks the format: the search has ended */

#endif
