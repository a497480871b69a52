/* A peer that may write anything into its connection: a plain socket of the test's, and the
 * target that it is connected to, in the same thread. */
#ifndef RAW_PEER_H
#define RAW_PEER_H

#include "base/clock.h"
#include "context/context_object.h"
#include "ring/producer.h"
#include "wire/hello.h"
#include "wire/record.h"

#define RAW_RING_BYTES 65536u
/* Ends a test that hangs; never judges speed. */
#define RAW_PATIENCE_NS (20 * TCI_NS_PER_S)

typedef struct raw_peer {
    tc_context *ctx; /* the context of the listener that it is connected to */
    tc_listener *listener;
    int fd;
    tci_producer producer; /* of the target's ring: this side's copy of it */
    tci_ring_word consumed;
    uint8_t ring[RAW_RING_BYTES];
    uint64_t sent; /* up to where frames have left */
    uint32_t sequence;
    uint8_t record[TCI_RECORD_HEADER_BYTES + RAW_RING_BYTES];
    size_t size;
    uint8_t came[2 * TCI_HELLO_MESSAGE_MAX]; /* of the target's, and not forgotten yet */
    size_t came_bytes;
} raw_peer;

extern raw_peer *peer; /* of the test that runs */

int raw_set_up(void **state);
int raw_tear_down(void **state);

/* The target's end, and turns of the target. */
tc_ep *raw_target_ep(void);
void raw_progress(unsigned turns);

/* Connects, and takes the target's HELLO for its own. */
void raw_greet(void);
/* The same, and READY of both. */
void raw_open(void);
/* Until the target has let the endpoint go. */
void raw_hang_up(void);

void raw_write(const void *bytes, size_t size);
/* Until so many bytes of the target's have come. */
void raw_read(size_t size);
void raw_forget(size_t size);

#endif
