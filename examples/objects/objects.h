/* Objects that move between the ranks of a group, and the functions that find them: the
 * published data of a rank, and the messages of the two functions that the runtime consists of.
 *
 * An object is a number and some bytes. It begins at its home, the rank number % ranks, and is
 * at one rank at a time. A rank that it has left knows where it went, its home is notified of
 * its arrival. Each move has a number; a rank that receives several keeps the highest. So every
 * known location leads to a later one, and at last to the object. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <tc/entry.h>

/* The name under which each rank publishes its object_node. */
#define OBJECT_NODE "object_node"
#define OBJECT_STATE_MAX 256u

/* A rank's knowledge of one object. */
typedef struct object_place {
    uint32_t rank;  /* where it is, or was after `moves` */
    uint32_t moves; /* how often it had moved by then */
    uint32_t size;  /* of the state; 0: it is not here */
    _Alignas(16) unsigned char state[OBJECT_STATE_MAX];
} object_place;

typedef struct object_node {
    uint32_t rank;
    uint32_t count;       /* of objects in all ranks together */
    object_place *places; /* one for each */
    /* The functions of the runtime, opened by the program. */
    tc_ifunc *arrive;
    tc_ifunc *here;
} object_node;

/* Every message to an object begins with it. */
typedef struct object_head {
    uint32_t object;
    uint32_t unused;
} object_head;

/* object_arrive: an object, as it moves in. */
typedef struct object_arrival {
    uint32_t object;
    uint32_t moves;
    uint32_t size;
    uint32_t unused;
    unsigned char state[OBJECT_STATE_MAX];
} object_arrival;

/* object_here: to its home, from where it is. */
typedef struct object_news {
    uint32_t object;
    uint32_t moves;
    uint32_t rank;
    uint32_t unused;
} object_news;

/* Called on news that an object is at a rank: by functions, and by callers on an answer. */
static inline void object_learn(object_node *node, const object_news *news)
{
    object_place *place = &node->places[news->object];
    if (place->size > 0 || news->moves <= place->moves)
        return;
    place->rank = news->rank;
    place->moves = news->moves;
}

#endif
