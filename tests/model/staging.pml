/* The staging of runtime/transfer/staging.h: payloads are copied to places beside the ring, a
 * frame says where, and its consumption gives the place back. Shown: every payload is read as it
 * was written, and nobody waits for ever.
 *
 * Mutations, each of which must break it: NO_SIGNAL_RELEASE, NO_SIGNAL_ACQUIRE,
 * NO_CREDIT_RELEASE, NO_CREDIT_ACQUIRE, NO_WINDOW (places are free at once), and with TSO, where
 * copies may go past the caches, NO_STREAM_FENCE. */

#ifndef PLACES
#define PLACES 2
#endif
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef MESSAGES
#define MESSAGES 6
#endif

#define SIGNAL_AT(position) (2 * ((position) % SLOTS))
#define HEADER_AT(position) (SIGNAL_AT(position) + 1)
#define CONSUMED (2 * SLOTS)
#define WORD(place, n) (CONSUMED + 1 + 2 * (place) + (n))
#define MEMORY (CONSUMED + 1 + 2 * PLACES)

#include "weak_machine.pml"

#define PRODUCER 0
#define CONSUMER 1

#define SIGNAL(position) (128 + (position))
#define CONTENT(message, n) (1 + 2 * (message) + (n))
#define SCRIBBLE 126

#if defined(NO_CREDIT_ACQUIRE) && !defined(TSO)
#define EARLY_STORES
#endif
#if defined(NO_CREDIT_RELEASE) && !defined(TSO)
#define LATE_LOADS
#endif
#if defined(NO_SIGNAL_ACQUIRE) && !defined(TSO)
#define EARLY_LOADS
#endif

#ifdef NO_SIGNAL_RELEASE
#define SIGNAL_ORDER false
#else
#define SIGNAL_ORDER true
#endif
#ifdef NO_CREDIT_RELEASE
#define CREDIT_ORDER false
#else
#define CREDIT_ORDER true
#endif

/* --- the producer ------------------------------------------------------------------------- */

inline store_fence()
{
#ifndef NO_STREAM_FENCE
    d_step {
        shifted = 0;
        do
        :: shifted < BUFFER -> STORE(PRODUCER, shifted).streamed = false; shifted++
        :: else -> break
        od;
        shifted = 0
    }
#else
    skip
#endif
}

inline copy_payload()
{
    if
    :: issue(PRODUCER, WORD(place, 0), CONTENT(message, 0), false, false);
        issue(PRODUCER, WORD(place, 1), CONTENT(message, 1), false, false)
#ifdef TSO
    :: issue(PRODUCER, WORD(place, 0), CONTENT(message, 0), false, true);
        issue(PRODUCER, WORD(place, 1), CONTENT(message, 1), false, true);
        store_fence()
#endif
    fi
}

#ifdef NO_WINDOW
#define IS_FREE(at) true
#else
#define IS_FREE(at) (until[at] <= seen)
#endif

inline refresh()
{
    d_step {
        memory[CONSUMED] > seen ->
        assert(memory[CONSUMED] <= message);
        seen = memory[CONSUMED]
    }
}

active proctype producer()
{
    byte message, seen, place, until[PLACES];
#ifdef EARLY_STORES
    bool copied;
#endif
    do
    :: message == MESSAGES -> break
    :: message < MESSAGES ->
        do
        :: message < seen + SLOTS && IS_FREE(0) -> place = 0; break
        :: message < seen + SLOTS && IS_FREE(1) -> place = 1; break
        :: else ->
#ifdef EARLY_STORES
            /* What follows a load that orders nothing may be done before it. */
            if
            :: !copied -> place = (until[0] < until[1] -> 0 : 1); copied = true; copy_payload()
            :: true
            fi;
#endif
            refresh()
#ifdef EARLY_STORES
            ;
            if
            :: copied && message < seen + SLOTS && IS_FREE(place) -> break
            :: !copied
            fi
#endif
        od;
#ifdef EARLY_STORES
        if
        :: !copied -> copy_payload()
        :: else -> copied = false
        fi;
#else
        copy_payload();
#endif
        issue(PRODUCER, HEADER_AT(message), place, false, false);
        issue(PRODUCER, SIGNAL_AT(message), SIGNAL(message), SIGNAL_ORDER, false);
        message++;
        until[place] = message;
        place = 0
    od
}

/* --- the consumer ------------------------------------------------------------------------- */

#ifdef EARLY_LOADS
#define LOAD(where) (is_early -> early[where] : memory[where])
#else
#define LOAD(where) memory[where]
#endif

inline publish()
{
    issue(CONSUMER, CONSUMED, message + 1, CREDIT_ORDER, false)
}

active proctype consumer()
{
    byte message, place, word[2];
#ifdef LATE_LOADS
    bool published;
#endif
#ifdef EARLY_LOADS
    bool is_early;
    byte early[MEMORY], at;
#endif
    do
    :: message == MESSAGES -> break
    :: message < MESSAGES ->
#ifdef EARLY_LOADS
        if
        :: d_step {
            is_early = true;
            at = 0;
            do
            :: at < MEMORY -> early[at] = memory[at]; at++
            :: else -> break
            od
        }
        :: is_early = false
        fi;
#endif
        memory[SIGNAL_AT(message)] == SIGNAL(message);
        place = LOAD(HEADER_AT(message));
        assert(place < PLACES);
#ifdef LATE_LOADS
        /* What precedes a store that orders nothing may be done after it. */
        if
        :: publish(); published = true
        :: true
        fi;
#endif
        if
        :: word[0] = LOAD(WORD(place, 0)); word[1] = LOAD(WORD(place, 1))
        :: word[1] = LOAD(WORD(place, 1)); word[0] = LOAD(WORD(place, 0))
        fi;
        assert(word[0] == CONTENT(message, 0) && word[1] == CONTENT(message, 1));
        issue(CONSUMER, WORD(place, 1), SCRIBBLE, false, false); /* a function may */
#ifdef LATE_LOADS
        if
        :: !published -> publish()
        :: else -> published = false
        fi;
#else
        publish();
#endif
        message++;
        word[0] = 0;
        word[1] = 0;
        place = 0
    od
}
