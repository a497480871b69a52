/* The beginning and the end of an entry method of an object. An entry method is an ifunc with a
 * payload that begins with an object_head. */
#ifndef OBJECT_ENTRY_H
#define OBJECT_ENTRY_H

#include "objects.h"

#include <string.h>

/* The state of the message's object; NULL: it is elsewhere, and the message is on its way
 * there, or was answered by an error. */
static inline void *object_enter(const void *payload, size_t size, size_t message_bytes,
                                 size_t state_bytes)
{
    object_node *node = tc_self_data(OBJECT_NODE, NULL);
    const object_head *head = payload;
    if (node == NULL || size != message_bytes || head->object >= node->count) {
        (void)tc_reply_error(TC_E_INVALID, "no objects here, or none of that number");
        return NULL;
    }
    object_place *place = &node->places[head->object];
    if (place->size == state_bytes)
        return place->state;
    tc_status status = place->size > 0 ? TC_E_INVALID : tc_forward(place->rank, payload, size);
    if (status != TC_OK)
        (void)tc_reply_error(status, place->size > 0 ? "an object of another kind"
                                                     : "the object cannot be followed");
    return NULL;
}

static inline object_news object_whereabouts(uint32_t object)
{
    const object_node *node = tc_self_data(OBJECT_NODE, NULL);
    return (object_news){object, node->places[object].moves, node->rank, 0};
}

/* Behind the last use of its state. Messages that follow go where it goes, and come behind it,
 * as messages from one rank to another keep their order. It stays where it is when it cannot be
 * sent now. */
static inline void object_move(uint32_t object, uint32_t rank)
{
    object_node *node = tc_self_data(OBJECT_NODE, NULL);
    object_place *place = &node->places[object];
    object_arrival arrival = {.object = object, .moves = place->moves + 1, .size = place->size};
    if (rank == node->rank || rank >= tc_self_size())
        return;
    memcpy(arrival.state, place->state, place->size);
    if (tc_group_send(tc_self_group(), rank, node->arrive, &arrival,
                      offsetof(object_arrival, state) + place->size) != TC_OK)
        return;
    place->size = 0;
    place->rank = rank;
    place->moves++;
}

#endif
