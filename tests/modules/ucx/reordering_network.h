/* A network that does to puts whatever the rules allow: it takes them apart, keeps the parts
 * for any time, and delivers them in any order that no fence forbids. It reads a put's bytes
 * late or at once, and reports its end, and a flush's, late or at once. Its actions follow from
 * a seed. */
#ifndef REORDERING_NETWORK_H
#define REORDERING_NETWORK_H

#include "modules/ucx/put_protocol.h"

#define PIECES_MAX 4096u
#define FLUSHES_MAX 256u

typedef struct put_in_flight {
    uint8_t *copy;   /* NULL: the bytes are read when they are delivered */
    tci_link_op *op; /* NULL: already ended */
    unsigned left;   /* pieces */
} put_in_flight;

typedef struct put_piece {
    uint64_t fences; /* how many came before */
    uint64_t serial;
    uint64_t offset;
    const uint8_t *bytes;
    size_t size;
    put_in_flight *put;
} put_piece;

typedef struct flush_in_flight {
    tci_link_op *op;
    uint64_t serial; /* of the first piece that it does not wait for */
    uint64_t left;   /* pieces */
} flush_in_flight;

typedef struct reordering_network {
    tci_put_network seam;
    uint8_t *memory; /* where puts go */
    size_t memory_bytes;
    uint64_t random;
    uint64_t fences;
    put_piece *pieces;
    uint64_t first; /* pieces are numbered; number % PIECES_MAX is the index */
    uint64_t end;
    uint64_t reordered; /* pieces that overtook an older one */
    flush_in_flight flushes[FLUSHES_MAX];
    unsigned flush_count;
} reordering_network;

void reordering_network_init(reordering_network *net, uint8_t *memory, size_t memory_bytes,
                             uint64_t seed);
void reordering_network_fini(reordering_network *net);

/* Delivers one piece or ends one flush. False: nothing is under way. */
bool reordering_network_step(reordering_network *net);

/* The peer is gone: pieces vanish, puts and flushes end. */
void reordering_network_fail(reordering_network *net);

/* A number below `bound`. */
uint64_t random_below(uint64_t *random, uint64_t bound);

#endif
