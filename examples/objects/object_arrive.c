/* An object moves in. Its home is notified, unless its queue is full: then messages to the home
 * follow the object's path. */
#include "objects.h"

#include <stddef.h>
#include <string.h>

void object_arrive_main(void *payload, size_t size, void *target_args)
{
    object_node *node = tc_self_data(OBJECT_NODE, NULL);
    const object_arrival *arrival = payload;
    (void)target_args;
    if (node == NULL || size < offsetof(object_arrival, state) ||
        arrival->object >= node->count || arrival->size > OBJECT_STATE_MAX ||
        size != offsetof(object_arrival, state) + arrival->size)
        return;
    object_place *place = &node->places[arrival->object];
    uint32_t home = arrival->object % tc_self_size();
    const object_news news = {arrival->object, arrival->moves, node->rank, 0};
    memcpy(place->state, arrival->state, arrival->size);
    place->size = arrival->size;
    place->rank = node->rank;
    place->moves = arrival->moves;
    if (home != node->rank)
        (void)tc_group_send(tc_self_group(), home, node->here, &news, sizeof news);
}
