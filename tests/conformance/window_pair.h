/* A pair of contexts: the target has opened its memory to the source's endpoint. */
#ifndef WINDOW_PAIR_H
#define WINDOW_PAIR_H

#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/window.h>

#define WINDOW_MEMORY (1u << 20)
#define WINDOW_ALL (TC_WINDOW_READ | TC_WINDOW_WRITE | TC_WINDOW_ATOMIC | TC_WINDOW_ALLOCATE)
#define WINDOW_ARENA 65536u /* the arena's first offset */

typedef struct window_pair {
    pair p;
    uint8_t *memory; /* of the owner, aligned; read it while the target pauses */
    tc_gptr at;      /* the window over it, with all rights, open to p.ep alone */
} window_pair;

/* Defines a test of a pair w with zeroed memory. The pair is closed behind it. */
#define WINDOW_TEST(name) TEST_BY(window_pair_run, name, window_pair *w)
void window_pair_run(void (*test)(window_pair *w));

void window_pair_open(window_pair *w, const char *const *target_options);
void window_pair_close(window_pair *w);

/* The target's end of the endpoint that was made last. */
tc_ep *window_pair_peer(window_pair *w);

/* Opens a window at the target, which pauses meanwhile. */
tc_gptr window_pair_window(window_pair *w, const tc_window_params *params);

/* A chain with the pair's endpoint, which has to end like that; `text` is a part of the
 * failure's text. The endpoint stays open, and the owner's first 4096 bytes stay as they
 * were. */
void window_pair_refused(window_pair *w, const tc_window_step *steps, size_t count,
                         tc_status status, const char *text);

/* The outcome of a started chain; its callback. */
typedef struct window_record {
    unsigned calls;
    tc_status status;
    uint32_t succeeded;
    char text[TC_ERROR_TEXT_MAX];
} window_record;
void window_record_note(void *user, tc_status status, uint32_t succeeded, const char *text);

#endif
