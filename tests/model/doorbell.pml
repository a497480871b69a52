/* The doorbell of runtime/core/doorbell.h: a sleeper that says so, has a barrier executed in all
 * processes, looks once more and sleeps for good; a sender that stores frames and credit, looks
 * at the doorbell without a fence, and rings. Shown: what was stored is always found, so the sleeper
 * never sleeps on it.
 *
 * Mutations, each of which must break it: NO_BARRIER (the sleeper has a fence of its own only),
 * NO_LOOK (it does not look again), NO_COUNT (each sleep has the same word), NO_COMPILER_FENCE
 * (the sender's look is moved before its store). NO_POSITION_ORDER must not: see
 * docs/memory-model.md. */

#ifndef FRAMES
#define FRAMES 2
#endif
#ifndef CREDITS
#define CREDITS 2
#endif

#define FRAME(n) (n)
#define CREDIT FRAMES
#define WAKEUP (FRAMES + 1)
#define POSITION (FRAMES + 2)
#define MEMORY (FRAMES + 3)
#define NOTHING 255

#include "weak_machine.pml"

#define SLEEPER 0
#define SENDER 1

#define FOR_FRAMES 1
#define FOR_CREDIT 2
#define STEP 4

byte messages; /* WAKEUP messages under way: they wake, and are never lost */

/* --- the sender --------------------------------------------------------------------------- */

/* A load may take its value long before the store that it stands behind is in memory, but not
 * from before a barrier that its processor has passed: the barrier takes these back. */
bool is_early;
byte early_bell, early_position;

inline maybe_load_early()
{
#if !defined(TSO) || defined(NO_COMPILER_FENCE)
    if
    :: d_step {
        is_early = true;
        early_bell = memory[WAKEUP];
        early_position = memory[POSITION]
    }
    :: true
    fi
#else
    skip
#endif
}

inline look_at_bell()
{
    d_step {
        doorbell = (is_early -> early_bell : memory[WAKEUP])
#ifndef NO_POSITION_ORDER
        ;
        is_early = false /* the position is loaded behind an acquire */
#endif
    }
}

/* The second load may give the value of the first again. */
inline ring()
{
    if
    :: seen = memory[WAKEUP]
    :: seen = doorbell
    fi;
    if
    :: (seen & FOR_FRAMES) != 0 -> messages++
    :: else
    fi
}

inline forget_early()
{
    d_step {
        is_early = false;
        early_bell = 0;
        early_position = 0;
        doorbell = 0;
        position = 0
    }
}

active proctype sender()
{
    byte sent, credit, seen, doorbell, position;
    do
    :: sent < FRAMES ->
        maybe_load_early();
        issue(SENDER, FRAME(sent), 1, true, false);
        sent++;
        look_at_bell();
        if
        :: doorbell != seen -> ring()
        :: else
        fi;
        forget_early()
    :: credit < CREDITS ->
        maybe_load_early();
        credit++;
        issue(SENDER, CREDIT, credit, true, false);
        look_at_bell();
        if
        :: doorbell != seen && (doorbell & FOR_CREDIT) != 0 ->
            position = (is_early -> early_position : memory[POSITION]);
            if
            :: credit >= position -> ring()
            :: else
            fi
        :: else
        fi;
        forget_early()
    :: sent == FRAMES && credit == CREDITS -> break
    od
}

/* --- the sleeper -------------------------------------------------------------------------- */

#ifdef NO_COUNT
#define COUNT_UP skip
#else
#define COUNT_UP count = count + STEP
#endif

#define FRAME_IS_THERE (got < FRAMES && memory[FRAME(got)] == 1)
#define CREDIT_IS_THERE(from) (memory[CREDIT] >= (from))

inline say(bits, where)
{
    COUNT_UP;
    issue(SLEEPER, POSITION, where, false, false);
#ifdef NO_POSITION_ORDER
    issue(SLEEPER, WAKEUP, count + bits, false, false)
#else
    issue(SLEEPER, WAKEUP, count + bits, true, false)
#endif
}

/* What the other side had stored is in memory, and what it looks at from now on is of now. */
inline barrier_in_all_processes()
{
    EMPTIED(SLEEPER);
#ifndef NO_BARRIER
    d_step {
        EMPTIED(SENDER) ->
#ifndef NO_COMPILER_FENCE
        is_early = false;
        early_bell = 0;
        early_position = 0
#endif
    }
#endif
}

inline sleep()
{
    d_step { messages > 0 -> messages = 0 }
}

inline look_and_sleep()
{
#ifdef NO_LOOK
    sleep()
#else
    if
    :: FRAME_IS_THERE
    :: else ->
        if
        :: CREDIT_IS_THERE(awaited)
        :: else -> sleep()
        fi
    fi
#endif
}

active proctype sleeper()
{
    byte got, credit, count, awaited;
    do
    :: got == FRAMES && credit == CREDITS -> break
    :: FRAME_IS_THERE -> got++
    :: CREDIT_IS_THERE(credit + 1) -> credit = memory[CREDIT]
    :: !FRAME_IS_THERE && !CREDIT_IS_THERE(credit + 1) &&
       (got < FRAMES || credit < CREDITS) ->
        /* It waits for credit up to some position, or not, but for something that will come. */
        if
        :: credit < CREDITS -> awaited = credit + 1
        :: credit < CREDITS -> awaited = CREDITS
        :: got < FRAMES -> awaited = NOTHING
        fi;
        say((awaited == NOTHING -> FOR_FRAMES : FOR_FRAMES + FOR_CREDIT), awaited);
        barrier_in_all_processes();
        look_and_sleep();
        say(0, NOTHING);
        awaited = 0
    od
}
