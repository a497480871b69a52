/* When a target saw each message of a latency run, and when it had its loop back: the
 * processor's counter at both, in memory that the source reads afterwards.
 *
 * A library does not report when it has seen a message, so the waiting loop polls itself: the
 * word that will change where the next message is to arrive, which lies as far behind the
 * newest as that lies behind the one before. A message that came elsewhere (a ring's end, or
 * bytes that a system call brings) was not seen, and is left out of the figures. */
#ifndef TC_PERF_TARGET_LOG_H
#define TC_PERF_TARGET_LOG_H

#include "perf_clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct target_log {
    uint64_t *seen; /* by message, from 0 on; 0: was not seen */
    uint64_t *done;
} target_log;

typedef struct target_watch {
    const unsigned char *newest; /* NULL: no message has come */
    ptrdiff_t step;              /* from one to the next; 0: not known */
    unsigned char mark;          /* the value at the beginning of the next one's line */
} target_watch;

/* Looks in a row: so many that few messages come while something else is done. */
#define TARGET_LOOKS 64u
#define TARGET_PAGE 4096u
#define TARGET_LINE 64u

/* UCX puts payloads where they fit their buffer. */
typedef struct __attribute__((packed)) target_word {
    uint64_t value;
} target_word;

/* Where the next message's word is to come, `before` bytes in front of its payload; 0: not
 * known, or on another page than the newest message, which may not be there. */
static inline uintptr_t target_watch_place(const target_watch *watch, size_t before)
{
    const uintptr_t newest = (uintptr_t)watch->newest;
    const uintptr_t place = newest + (uintptr_t)watch->step - before;
    const bool known = watch->step != 0 && place / TARGET_PAGE == newest / TARGET_PAGE &&
                       (place + sizeof(uint64_t) - 1) / TARGET_PAGE == newest / TARGET_PAGE;
    return known ? place : 0;
}

static inline const volatile unsigned char *target_watch_line(uintptr_t place)
{
    return (const volatile unsigned char *)(place & ~(uintptr_t)(TARGET_LINE - 1));
}

/* A message lay there, and the next has not been sent yet. */
static inline void target_watch_note(target_watch *watch, const void *at)
{
    const unsigned char *place = at;
    watch->step = watch->newest != NULL ? place - watch->newest : 0;
    watch->newest = place;
    const uintptr_t next = target_watch_place(watch, 0);
    watch->mark = next != 0 ? *target_watch_line(next) : 0;
}

/* When the word at the next message was seen to be `value`; 0: it was not. */
static inline uint64_t target_watch_look(const target_watch *watch, size_t before,
                                         uint64_t value)
{
    const uintptr_t place = target_watch_place(watch, before);
    if (place == 0)
        return 0;
    const volatile target_word *word = (const volatile target_word *)place;
    for (unsigned i = 0; i < TARGET_LOOKS; i++) {
        if (word->value == value) {
            atomic_thread_fence(memory_order_acquire);
            return perf_ticks();
        }
    }
    return 0;
}

/* The same where the word is not written last: UCX's shared memory has flags at the beginning
 * of a line, one of which marks it as complete. */
static inline uint64_t target_watch_look_marked(const target_watch *watch, uint64_t value)
{
    const uintptr_t place = target_watch_place(watch, 0);
    if (place == 0)
        return 0;
    const volatile target_word *word = (const volatile target_word *)place;
    const volatile unsigned char *mark = target_watch_line(place);
    for (unsigned i = 0; i < TARGET_LOOKS; i++) {
        if (*mark != watch->mark && word->value == value) {
            atomic_thread_fence(memory_order_acquire);
            return perf_ticks();
        }
    }
    return 0;
}

#endif
