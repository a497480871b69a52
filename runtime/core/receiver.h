/* The receiving part of an endpoint: our ring, what the peer's numbers mean here, and what
 * comes beside the ring. */
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

/* What a slot number of the peer's means here; see dispatch/slots.h. */
typedef struct tci_rx_slot {
    /* NULL: not callable, or it wants payloads aligned as frames do not have them by
     * themselves */
    void (*main)(void *payload, size_t payload_size, void *target_args);
    tc_ifunc *fn;              /* held; NULL: never bound, refused, or evicted */
    tci_code_section *evicted; /* what it was bound to until that was evicted; NULL: nothing */
    bool callable;
    bool is_signed; /* the peer sends a signature with it */
    bool notify;    /* the peer waits for PREPARED or REFUSED */
} tci_rx_slot;

/* Code that comes outside the ring, while its frame waits at the ring's head. */
typedef struct tci_incoming_code {
    bool wanted;
    tci_code_section section;
    uint8_t *bytes; /* archive, deps, signature */
    size_t received;
} tci_incoming_code;

/* A payload that comes in fragments. */
typedef struct tci_assembly {
    tci_landing landing; /* kept from one payload to the next, within bounds */
    uint64_t total;      /* 0: none is under way */
    uint64_t received;
    bool dropped; /* refused: the rest is passed over */
} tci_assembly;

/* Credit that must not overtake frames, nor credit from before. */
typedef struct tci_due_credit {
    bool due, again;                    /* waits; and was asked for once more meanwhile */
    uint64_t mark;                      /* for so many batches of frames to have arrived */
    uint64_t head;                      /* what it says */
    struct tci_single_message *message; /* NULL until one is sent */
    bool shared;                        /* the peer was told of a share: it may wait for all */
    uint64_t next_round, counted;       /* core/share.h: counted from when on, and to where */
} tci_due_credit;

#define TCI_UNWATCHED SIZE_MAX

typedef struct tci_receiver {
    tci_consumer ring;
    size_t watched_at;            /* its place in the core's list, or TCI_UNWATCHED */
    tci_delivery_arrival arrival; /* how the peer fills our ring; from its READY */
    tci_rx_slot *slots;
    size_t slot_count;
    bool held;          /* open, and not announced yet: nothing is run; tci_ep_announced */
    bool paused;        /* not read until less waits for the peer; dispatch/backlog.h */
    uint64_t paused_ns; /* when it was read last */
    bool metered;       /* so many messages a second; core/quota.h */
    bool loading;       /* the frame at the head waits for its function to be loaded */
    uint64_t run_messages;

    tci_due_credit credit;
    tci_region *region;
    uint64_t ring_memory; /* what the ring takes of the core's */
    tci_incoming_code incoming;
    tci_assembly assembly;
    tci_segment staged;            /* the peer's, where its payloads lie */
    struct tci_inbound *inbound;   /* transfer/payload_in.h; NULL until a payload comes so */
    struct tci_record_in *records; /* endpoint/record_in.h; NULL: the link is no stream's */
    unsigned payload_alignment; /* the greatest that a function asked for that was bound here */
} tci_receiver;

#endif
