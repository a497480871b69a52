/* A peer that breaks the protocol on purpose, on top of the library's own lower layers. Its
 * actions follow from a seed. */
#ifndef ATTACK_H
#define ATTACK_H

#include "core/ep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/ifunc.h>

typedef struct attack {
    const char *host_port;
    uint64_t random; /* state of the generator */
    uint64_t deadline_ns;
    tc_context *ctx;
    tc_ep *ep;
    tc_ifunc *travel; /* tests/shipped/travel.c */
    tc_ifunc *check;  /* tests/shipped/check.c, which any payload suits */
    tc_ifunc *bulky;  /* larger than a frame */
    uint64_t frames;  /* or messages, or connections: whatever it sends */
    uint64_t connections;
    uint64_t failures; /* connections that were refused */
    bool leaked;       /* the target has revealed data that it should not */
} attack;

typedef enum attack_needs {
    ATTACK_NEEDS_ENDPOINT, /* run is called once for each connection */
    ATTACK_NEEDS_GROUP,    /* with an endpoint to a member, as a member */
    ATTACK_NEEDS_NOTHING   /* run connects itself */
} attack_needs;

/* False fields in HELLOs of this process. */
typedef enum attack_hello {
    ATTACK_HELLO_HONEST,
    ATTACK_HELLO_FIELDS,  /* other bytes in the fixed part */
    ATTACK_HELLO_RKEY,    /* in the key to the ring */
    ATTACK_HELLO_ADDRESS, /* in the worker's address */
    ATTACK_HELLO_TINY,    /* frames of 64 to 104 bytes */
    ATTACK_HELLO_RING,    /* the largest ring there is */
    ATTACK_HELLO_PLACE    /* a ring somewhere else in this process */
} attack_hello;

typedef struct attack_scenario {
    const char *name;
    attack_needs needs;
    attack_hello hello;
    void (*run)(attack *a);
} attack_scenario;

extern const attack_scenario attack_frame_scenarios[];
extern const attack_scenario attack_storm_scenarios[];
extern const attack_scenario attack_beside_scenarios[];
extern const attack_scenario attack_socket_scenarios[];

uint64_t attack_random(attack *a);
/* Below `limit`. */
uint64_t attack_below(attack *a, uint64_t limit);
/* A number that parsers stumble over, or any. */
uint64_t attack_number(attack *a);
void attack_fill(attack *a, uint8_t *bytes, size_t size);

bool attack_goes_on(const attack *a);
/* All that was written leaves, and nothing that came is read. */
void attack_push(attack *a);
/* The same, and UCX handles received messages. */
void attack_progress_unread(attack *a);
void attack_pause(attack *a, uint64_t ns);
/* Until then it is as any peer. */
void attack_wait(attack *a, uint64_t ns);

/* A frame of `bytes`, independent of its header's size. False: no space. */
bool attack_try_frame(attack *a, const tci_frame *header, const void *body, size_t bytes);
/* Waits for space. False: no frame came, or the end. */
bool attack_frame(attack *a, const tci_frame *header, const void *body, size_t bytes);

/* The last HELLO that this process sent, as it left. */
const uint8_t *attack_own_hello(size_t *size_out);
/* The contents of HELLOs from now on; `a` gives the bytes. */
void attack_lie(attack *a, attack_hello hello);
/* Messages beside the ring go to that connection of the target's from now on, if it takes
 * them: with a token that was guessed. */
void attack_name_another(attack *a, uint16_t connection);

#endif
