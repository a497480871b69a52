/* Payload and answer of the function `view`. */
#ifndef TC_PERF_VIEW_H
#define TC_PERF_VIEW_H

#include <stdint.h>
#include <tc/window.h>

/* The ways to use a word of a mapped window: by a pointer, and with the checks of a view. */
typedef enum view_way {
    VIEW_LOAD,     /* plain loads, each from where the last one says: small memory, and large */
    VIEW_GET,      /* tc_window_view_get */
    VIEW_EXCHANGE, /* a compare and exchange of one word */
    VIEW_SWAP      /* tc_window_view_compare_swap */
} view_way;

/* The window begins with a cycle of small_bytes, which stays in a cache, with a large one from
 * large_at on, and the word of the exchanges lies at word_at. */
typedef struct view_order {
    tc_gptr window; /* of the sender */
    uint32_t way;
    uint32_t unused;
    uint64_t at; /* of the cycle's first word, or of the word */
    uint64_t count;
} view_order;

typedef struct view_answer {
    uint64_t ns;
    uint64_t last; /* so that no compiler leaves the loop out */
} view_answer;

#endif
