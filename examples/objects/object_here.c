/* Notifies an object's home of its location. */
#include "objects.h"

void object_here_main(void *payload, size_t size, void *target_args)
{
    object_node *node = tc_self_data(OBJECT_NODE, NULL);
    const object_news *news = payload;
    (void)target_args;
    if (node != NULL && size == sizeof *news && news->object < node->count &&
        news->rank < tc_self_size())
        object_learn(node, news);
}
