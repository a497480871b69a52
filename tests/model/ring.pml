/* The ring of runtime/ring: frames of one or two granules, a producer that closes laps and waits
 * for credit, a consumer that runs functions on the payloads where they lie. Shown: every
 * message is read whole, in order and once, and nobody waits for ever.
 *
 * Mutations, each of which must break it: NO_SIGNAL_RELEASE, NO_SIGNAL_ACQUIRE,
 * NO_CREDIT_RELEASE, NO_CREDIT_ACQUIRE, NO_KEY, NO_CREDIT (the producer never looks), and with
 * PUT (modules/ucx/put_protocol) NO_PUT_FENCE. */

#ifndef GRANULES
#define GRANULES 4
#endif
#ifndef MESSAGES
#define MESSAGES 6
#endif

/* Each granule is two words. The first of a frame is its signal, the second its header, in
 * which the size and the first payload word are; a second granule holds payload. */
#define FIRST(position) (2 * ((position) % GRANULES))
#define SECOND(position) (FIRST(position) + 1)
#define CONSUMED (2 * GRANULES)
#define MEMORY (CONSUMED + 1)

#include "weak_machine.pml"

#define PRODUCER 0
#define CONSUMER 1

#if defined(NO_CREDIT_ACQUIRE) && !defined(TSO)
#define EARLY_STORES
#endif
#if defined(NO_CREDIT_RELEASE) && !defined(TSO)
#define LATE_LOADS
#endif
#if defined(NO_SIGNAL_ACQUIRE) && !defined(TSO)
#define EARLY_LOADS
#endif

#ifdef NO_KEY
#define SIGNAL(frame) 128
#else
#define SIGNAL(frame) (128 + (frame))
#endif
#define HEADER(message, granules) (4 * (message) + (granules))
#define BODY(message) (4 * (message) + 3)
#define WRAP 127
#define SCRIBBLE 126 /* a function may write to its payload */

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

#define GAP(tail, granules) \
    (((tail) % GRANULES) + (granules) > GRANULES -> GRANULES - ((tail) % GRANULES) : 0)

/* --- the producer ------------------------------------------------------------------------- */

inline write_payload(at)
{
    if
    :: granules == 2 ->
        issue(PRODUCER, FIRST(at + 1), BODY(message), false, false);
        issue(PRODUCER, SECOND(at + 1), BODY(message), false, false)
    :: else
    fi;
    issue(PRODUCER, SECOND(at), HEADER(message, granules), false, false)
}

#ifdef PUT
/* A batch is all but its first signal in any order, a fence, the first signal. */
#ifdef NO_PUT_FENCE
#define FENCED false
#else
#define FENCED true
#endif

inline end_batch()
{
    if
    :: held -> issue(PRODUCER, FIRST(held_at), SIGNAL(held_frame), FENCED, false); held = false;
        held_at = 0; held_frame = 0
    :: else
    fi
}

inline write_signal()
{
    if
    :: !held -> held = true; held_at = tail; held_frame = frame
    :: else -> issue(PRODUCER, FIRST(tail), SIGNAL(frame), false, false)
    fi;
    frame++
}
#else
#define end_batch() skip

inline write_signal()
{
    issue(PRODUCER, FIRST(tail), SIGNAL(frame), SIGNAL_ORDER, false);
    frame++
}
#endif

active proctype producer()
{
    byte message, frame, tail, seen, granules, gap;
#ifdef EARLY_STORES
    bool written;
#endif
#ifdef PUT
    bool held;
    byte held_at, held_frame;
#endif
    do
    :: message == MESSAGES -> break
    :: message < MESSAGES ->
        if
        :: granules = 1
        :: granules = 2
        fi;
        gap = GAP(tail, granules);
#ifndef NO_CREDIT
        if
        :: tail + gap + granules <= seen + GRANULES
        :: else ->
#ifdef PUT
            end_batch();
#endif
#ifdef EARLY_STORES
            /* What follows a load that orders nothing may be done before it. */
            if
            :: written = true; write_payload(tail + gap)
            :: true
            fi;
#endif
            d_step {
                tail + gap + granules <= memory[CONSUMED] + GRANULES ->
                assert(memory[CONSUMED] >= seen && memory[CONSUMED] <= tail);
                seen = memory[CONSUMED]
            }
        fi;
#endif
        if
        :: gap > 0 ->
#ifdef PUT
            end_batch(); /* a batch lies in one lap */
#endif
            issue(PRODUCER, SECOND(tail), WRAP, false, false);
            write_signal();
            tail = tail + gap
#ifdef PUT
            ;
            end_batch()
#endif
        :: else
        fi;
#ifdef EARLY_STORES
        if
        :: !written -> write_payload(tail)
        :: else -> written = false
        fi;
#else
        write_payload(tail);
#endif
        write_signal();
        tail = tail + granules;
        message++;
        granules = 0;
        gap = 0;
#ifdef PUT
        if
        :: true
        :: end_batch()
        fi
#endif
    od;
    end_batch()
}

/* --- the consumer ------------------------------------------------------------------------- */

inline publish(is_release)
{
    issue(CONSUMER, CONSUMED, head, is_release, false);
    published = head
}

/* A load after the signal's acquire takes the value of now. Without the acquire it may have
 * taken that of a moment before the signal was there. */
#ifdef EARLY_LOADS
#define LOAD(where) (is_early -> early[where] : memory[where])
#else
#define LOAD(where) memory[where]
#endif

active proctype consumer()
{
    byte message, frame, head, published, header, body[2];
#ifdef EARLY_LOADS
    bool is_early;
    byte early[MEMORY], copied;
#endif
    do
    :: message == MESSAGES -> break
    :: message < MESSAGES ->
#ifdef EARLY_LOADS
        if
        :: d_step {
            is_early = true;
            copied = 0;
            do
            :: copied < MEMORY -> early[copied] = memory[copied]; copied++
            :: else -> break
            od
        }
        :: is_early = false
        fi;
#endif
        if
        :: head != published -> publish(CREDIT_ORDER) /* a batch ends wherever it likes */
        :: memory[FIRST(head)] == SIGNAL(frame) ->
            frame++;
            header = LOAD(SECOND(head));
            if
            :: header == WRAP -> head = head + GRANULES - head % GRANULES
            :: else ->
                assert(header == HEADER(message, 1) || header == HEADER(message, 2));
                head = head + header % 4;
#ifdef LATE_LOADS
                /* What precedes a store that orders nothing may be done after it. */
                if
                :: publish(CREDIT_ORDER)
                :: true
                fi;
#endif
                if
                :: header % 4 == 2 ->
                    if
                    :: body[0] = LOAD(FIRST(head - 1)); body[1] = LOAD(SECOND(head - 1))
                    :: body[1] = LOAD(SECOND(head - 1)); body[0] = LOAD(FIRST(head - 1))
                    fi;
                    assert(body[0] == BODY(message) && body[1] == BODY(message));
                    body[0] = 0;
                    body[1] = 0
                :: else
                fi;
                issue(CONSUMER, SECOND(head - 1), SCRIBBLE, false, false);
                message++
            fi;
            header = 0
        fi
    od
}
