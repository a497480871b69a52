/* Functions in the order of their last use, the oldest first. A function has a link for each
 * order that it may be in, and is in none with a zeroed link. Each operation takes the same
 * time, however many there are. */
#ifndef TCI_USE_ORDER_H
#define TCI_USE_ORDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tci_use_link {
    struct tci_use_link *older, *newer;
} tci_use_link;

/* Never moves in memory. */
typedef struct tci_use_order {
    tci_use_link ends; /* its `newer` is the oldest link */
    size_t count;      /* bound: functions_max */
} tci_use_order;

static inline void tci_use_order_init(tci_use_order *order)
{
    order->ends.older = order->ends.newer = &order->ends;
    order->count = 0;
}

static inline bool tci_use_order_has(const tci_use_link *link)
{
    return link->newer != NULL;
}

/* Returns NULL if it is empty. */
static inline tci_use_link *tci_use_order_oldest(tci_use_order *order)
{
    return order->count > 0 ? order->ends.newer : NULL;
}

/* Adds a link that is in no order, as the newest one. */
static inline void tci_use_order_add(tci_use_order *order, tci_use_link *link)
{
    link->older = order->ends.older;
    link->newer = &order->ends;
    link->older->newer = link;
    order->ends.older = link;
    order->count++;
}

/* Does nothing if it is not in the order. */
static inline void tci_use_order_remove(tci_use_order *order, tci_use_link *link)
{
    if (!tci_use_order_has(link))
        return;
    link->older->newer = link->newer;
    link->newer->older = link->older;
    *link = (tci_use_link){0};
    order->count--;
}

/* Makes it the newest one, if it is in the order. */
static inline void tci_use_order_renew(tci_use_order *order, tci_use_link *link)
{
    if (!tci_use_order_has(link))
        return;
    tci_use_order_remove(order, link);
    tci_use_order_add(order, link);
}

#endif
