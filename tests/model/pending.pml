/* The pending work of runtime/core/pending.h: a context whose thread progresses and sleeps, a
 * peer that UCX brings messages of, and a loader's thread that tells by an eventfd. Work is put
 * into lists by UCX's handlers, by functions and callbacks that run, and by calls of the program
 * between two turns. Shown: the context never sleeps for good while work is in a list or a
 * loaded function is not taken.
 *
 * The context looks at everything now and then, whatever the causes say; that is left out here,
 * because it would only find late what was lost.
 *
 * Mutations, each of which must break it: CLEAR_LATE (housekeeping clears the causes after it
 * has looked at the lists), CAUSE_FIRST (the cause is added before the work is in its list, and
 * housekeeping comes in between), NO_READD (what is left unfinished has no cause any more),
 * NO_AT_ONCE (a sleep begins whatever the causes are), NOTIFY_FIRST (the loader tells before its
 * work is done). */

#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef BUDGET
#define BUDGET 3
#endif

/* Causes. GOODBYE, REPLY and STATE are work that nothing else would wake a sleeper for. */
#define QUEUE 1
#define GOODBYE 2
#define REPLY 4
#define STATE 8
#define SERVICE 16
#define AT_ONCE (GOODBYE | REPLY | STATE)

byte causes;

/* What is in the lists. */
byte queue, goodbyes, replies, states;

/* From the peer: on its way by UCX, and what of it has arrived. */
byte frames, byes, credits;
byte ring, room;
byte queued; /* messages that ever were in the queue: the peer grants room for each */
byte sent;   /* by the peer */

#define NO_JOB 0
#define GIVEN 1
#define DONE 2
byte job;
bool eventfd;

byte budget = BUDGET; /* fragments of work that the program still makes */
bool finished;

/* --- making work -------------------------------------------------------------------------- */

inline add(list, cause)
{
#ifdef CAUSE_FIRST
    causes = causes | cause;
    if
    :: list == 0 -> causes = causes & ~cause /* taken, and nothing was seen */
    :: true
    fi;
    list++
#else
    d_step {
        list++;
        causes = causes | cause
    }
#endif
}

/* A function, a callback, or the program between two turns. */
inline code_of_the_program()
{
    if
    :: budget > 0 ->
        budget--;
        if
        :: queued++; add(queue, QUEUE) /* a send that finds no room */
        :: add(replies, REPLY)
        :: add(states, STATE)
        fi
    :: true
    fi
}

/* --- housekeeping ------------------------------------------------------------------------- */

#ifdef NO_READD
#define READD(cause) skip
#else
#ifdef CLEAR_LATE
#define READD(cause) left = left | cause
#else
#define READD(cause) causes = causes | cause
#endif
#endif

inline take_causes()
{
    d_step {
        taken = causes;
#ifndef CLEAR_LATE
        causes = 0
#else
        left = 0
#endif
    }
}

inline turn_endpoint()
{
    do
    :: queue > 0 && room > 0 -> d_step { queue--; room-- }
    :: else -> break
    od;
    if
    :: queue > 0 -> READD(QUEUE)
    :: else
    fi;
    if
    :: goodbyes > 0 && job == NO_JOB -> goodbyes--
    :: goodbyes > 0 && job != NO_JOB -> READD(GOODBYE) /* a frame waits for its function */
    :: else
    fi
}

inline look_at_descriptors()
{
    if
    :: (taken & SERVICE) != 0 -> eventfd = false
    :: else
    fi
}

inline take_loaded()
{
    if
    :: job == DONE -> job = NO_JOB
    :: else
    fi
}

/* Each calls the program. */
inline take_all(list)
{
    do
    :: list > 0 -> list--; code_of_the_program()
    :: else -> break
    od
}

inline keep_house()
{
    take_causes();
    turn_endpoint();
    look_at_descriptors();
    take_loaded();
    take_all(replies);
    take_all(states);
#ifdef CLEAR_LATE
    causes = left;
    left = 0;
#endif
    taken = 0
}

/* --- the context -------------------------------------------------------------------------- */

inline progress_ucx()
{
    do
    :: frames > 0 -> d_step { frames--; ring++ }
    :: credits > 0 -> d_step { credits--; room++ } /* no work by itself: what waits for it has its cause */
    :: byes > 0 -> byes--; add(goodbyes, GOODBYE)
    :: else -> break
    od
}

/* A frame's function runs, or has to be loaded first. */
inline run_ring()
{
    do
    :: ring > 0 ->
        ring--;
        if
        :: code_of_the_program()
        :: job == NO_JOB -> job = GIVEN
        fi
    :: else -> break
    od
}

inline progress()
{
    progress_ucx();
    run_ring();
    if
    :: causes != 0 -> keep_house()
    :: else
    fi
}

#ifdef NO_AT_ONCE
#define MAY_SLEEP true
#else
#define MAY_SLEEP ((causes & AT_ONCE) == 0)
#endif

#define WOKEN (frames + byes + credits > 0 || eventfd)
#define ALL_IS_DONE                                                                            \
    (queue + goodbyes + replies + states + ring == 0 && job == NO_JOB && sent == MESSAGES + 1)

/* Whoever is woken by UCX alone looks at no descriptor. Asleep with work and nothing to come is
 * an end state that is none. */
inline sleep()
{
    if
    :: WOKEN ->
        if
        :: eventfd -> causes = causes | SERVICE
        :: else -> causes = causes & ~SERVICE
        fi
    :: ALL_IS_DONE && !WOKEN -> finished = true
    fi
}

active proctype context()
{
    byte taken;
#ifdef CLEAR_LATE
    byte left;
#endif
    do
    :: finished -> break
    :: !finished ->
        code_of_the_program();
        progress();
        if
        :: MAY_SLEEP -> sleep()
        :: true /* somebody asks for another turn */
        fi
    od
}

/* --- others ------------------------------------------------------------------------------- */

active proctype peer()
{
    byte given;
    do
    :: sent < MESSAGES -> d_step { sent++; frames++ }
    :: sent == MESSAGES -> d_step { sent++; byes++ }
    :: sent == MESSAGES -> sent++ /* it stays */
    :: given < queued -> d_step { given++; credits++ }
    :: finished -> break
    od
}

active proctype loader()
{
    do
    :: job == GIVEN ->
#ifdef NOTIFY_FIRST
        eventfd = true;
        job = DONE
#else
        job = DONE;
        eventfd = true
#endif
    :: finished -> break
    od
}
