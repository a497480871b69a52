/* Where a frame lies when its receiver begins to read it. A network adapter puts incoming data
 * into the processor's caches or, where it cannot, into memory. Between processes of one
 * machine it is always in a cache, that of the sender; so the receiver's loop looks for the
 * signal itself, and when it has seen one it reads the frame's lines, which brings them to its
 * own cache, or writes them to memory and drops them from all caches, before the library sees
 * them. Its time is measured, to be subtracted again. */
#ifndef TC_PERF_FRAME_PLACE_H
#define TC_PERF_FRAME_PLACE_H

#include "perf_session.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In memory of both processes. */
typedef struct frame_log {
    _Alignas(64) _Atomic uint64_t sent;    /* bursts that the source has sent */
    _Alignas(64) _Atomic uint64_t handled; /* of these, with all messages run */
    _Alignas(64) uint64_t handle_ticks;    /* the target's, from seeing each burst until then */
    /* By role and message: ticks between its signal and the library; 0: was not seen to
     * come. */
    uint64_t *spent[2];
    uint64_t capacity; /* messages */
} frame_log;

/* NULL after a line on stderr. It is there until the process ends. */
frame_log *frame_log_create(uint64_t capacity);

typedef enum frame_placement {
    FRAME_IN_CACHE, /* the lines stay where they are */
    FRAME_IN_OWN,   /* in a cache of the receiver's processor */
    FRAME_IN_MEMORY,
    FRAME_PLACEMENTS
} frame_placement;

/* A series' placement: the lines are moved there, all else is alike. */
typedef struct frame_place {
    frame_placement where;
    frame_log *log;
} frame_place;

/* "cache", "own" or "memory". */
const char *frame_place_name(frame_placement where);

/* Returns whether this processor's instructions for it are known. */
bool frame_place_can_move(void);

/* Moves these bytes' lines, and waits until they are there. */
void frame_place_move(frame_placement where, const void *bytes, size_t size);

/* A receiver's state about the positions of its frames. Payloads of one size lie at equal
 * distances in a ring, which is known once it has been gone through. */
typedef struct frame_watch {
    const unsigned char *newest; /* payload; NULL: no frame has come */
    const unsigned char *first;  /* of the ring */
    const unsigned char *last;
    ptrdiff_t step;
    uint64_t signal;  /* of the newest */
    bool has_wrapped; /* first and last are final */
} frame_watch;

/* A message lay there, and its frame has not been written over. */
void frame_watch_note(frame_watch *watch, const void *payload);
/* The same of the last of several messages. */
void frame_watch_skip(frame_watch *watch, const void *payload);

/* The payload behind `payload`, or behind the newest when that is NULL; NULL: not known. */
const unsigned char *frame_watch_next(const frame_watch *watch, const unsigned char *payload);

/* docs/wire-format.md: a frame's payload is 16 bytes behind its signal, and the signal grows by
 * the same from frame to frame. */
#define FRAME_SIGNAL_BEFORE 16u
#define FRAME_SIGNAL_STEP 0x9e3779b97f4a7c15ull

/* Returns whether the frame with its payload there has come: as the one behind the newest, or,
 * at the ring's start, behind one that marks the rest of the ring as empty. */
static inline bool frame_watch_sees(const frame_watch *watch, const unsigned char *payload)
{
    const _Atomic uint64_t *word =
        (const _Atomic uint64_t *)(const void *)(payload - FRAME_SIGNAL_BEFORE);
    const uint64_t ahead = atomic_load_explicit(word, memory_order_acquire) - watch->signal;
    return ahead == FRAME_SIGNAL_STEP || ahead == 2 * FRAME_SIGNAL_STEP;
}

#endif
