/* Orders for the function `peruse_view`. */
#ifndef PERUSE_VIEW_H
#define PERUSE_VIEW_H

#include <tc/window.h>

typedef struct peruse_view_order {
    tc_gptr at; /* a window of the sender's */
    uint64_t words;
} peruse_view_order;

#endif
