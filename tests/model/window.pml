/* Windows that are mapped (include/tc/window_view.h) and served (runtime/modules/windows/
 * window_words.h) at once. On both ways a get of a word is an acquiring load, a put of one a
 * releasing store, and the atomic operations are both and have one order. Accesses by pointers
 * and larger gets and puts are loads and stores without an order.
 *
 * A search has one of five scenes, and WITHOUT is a mutation, which must break it:
 *
 *   PUBLISH   data and a flag word, which are taken and published again: FLAG_RELEASE,
 *             FLAG_ACQUIRE, TAKEN_RELEASE, TAKEN_ACQUIRE
 *   LOCK      a word with data behind it, which two mapped users and the owner (for a peer that
 *             it serves) take by compare and swap, and give back by that or by a put:
 *             USER_ACQUIRE, OWNER_ACQUIRE, SWAP_RELEASE, USER_RELEASE, OWNER_RELEASE
 *   NEWS      a window is described, mapped and served, and a third process is notified:
 *             REQUEST_RELEASE, REQUEST_ACQUIRE, ANSWER_RELEASE, ANSWER_ACQUIRE, NEWS_RELEASE,
 *             NEWS_ACQUIRE, ENDING (the news do not wait for the answer)
 *   VERSION   two words of data, with a number that is odd while they change: WORD_PUTS,
 *             WORD_GETS (a larger one has both words)
 *   ANNOUNCE  two that each set a word, then look at the other's, by atomic operations:
 *             ATOMIC_LOOK (a get instead), ATOMICS (a put and a get) */

#ifndef ROUNDS
#define ROUNDS 3
#endif

#define FLAG_RELEASE 1
#define FLAG_ACQUIRE 2
#define TAKEN_RELEASE 3
#define TAKEN_ACQUIRE 4
#define USER_ACQUIRE 5
#define OWNER_ACQUIRE 6
#define SWAP_RELEASE 7
#define USER_RELEASE 8
#define OWNER_RELEASE 9
#define REQUEST_RELEASE 10
#define REQUEST_ACQUIRE 11
#define ANSWER_RELEASE 12
#define ANSWER_ACQUIRE 13
#define NEWS_RELEASE 14
#define NEWS_ACQUIRE 15
#define ENDING 16
#define WORD_PUTS 17
#define WORD_GETS 18
#define ATOMIC_LOOK 19
#define ATOMICS 20

#ifndef WITHOUT
#define WITHOUT 0
#endif
#define HAS(order) (WITHOUT != order)

/* Words of the window; data are two of them. */
#define FIRST 0
#define SECOND 1
#if defined(PUBLISH)
#define FLAG 2
#define TAKEN 3
#define MEMORY 4
#elif defined(LOCK)
#define WORD 2
#define MEMORY 3
#elif defined(NEWS)
#define MARK 2
#define EARLIER 3
#define LATER 4
#define REQUEST 5 /* from here on not of the window: signals of messages */
#define ANSWER 6
#define NOTICE 7
#define MEMORY 8
#elif defined(VERSION)
#define NUMBER 2
#define MEMORY 3
#elif defined(ANNOUNCE)
#define MEMORY 2
#endif

#ifdef LOCK
#define PROCESSORS 3
#define FREE 0
#define HELD_BY(p) ((p) + 1)
/* An atomic operation on aarch64 loads the word and stores it later, unless another store came
 * between. So from the load on the word is the processor's, until the store is in memory. */
bool reserved;
#define ARRIVED(where, what) \
    if \
    :: where == WORD && what != FREE -> reserved = false \
    :: else \
    fi
#endif

#include "weak_machine.pml"

/* The owner's processor, and that of one who has mapped the window. */
#define OWNER 0
#define USER 1

/* An atomic operation's load waits for the releases before it, not for other stores. */
#define WAITS(p, i) STORE(p, i).release
#define NO_RELEASE_WAITS(p) \
    !(WAITS(p, 0) || WAITS(p, 1) || WAITS(p, 2) || WAITS(p, 3) || WAITS(p, 4) || WAITS(p, 5))

hidden byte looked;

/* A processor finds its own stores before they are in memory. */
inline load(p, where, into)
{
    d_step {
        into = memory[where];
        looked = 0;
        do
        :: looked < buffers[p].count ->
            if
            :: STORE(p, looked).at == where -> into = STORE(p, looked).value
            :: else
            fi;
            looked++
        :: else -> break
        od;
        looked = 0
    }
}

/* A put of both words at once, or stores by pointers. */
inline fill(p, value)
{
    if
    :: issue(p, FIRST, value, false, false); issue(p, SECOND, value, false, false)
    :: issue(p, SECOND, value, false, false); issue(p, FIRST, value, false, false)
    fi
}

/* A get of both words at once, or loads by pointers. */
inline read(p)
{
    if
    :: load(p, FIRST, got[0]); load(p, SECOND, got[1])
    :: load(p, SECOND, got[1]); load(p, FIRST, got[0])
    fi
}

/* --- publication -------------------------------------------------------------------------- */

/* Either may have mapped the window, or be the owner who serves. */
#ifdef PUBLISH
active proctype writer()
{
    byte round = 1;
    do
    :: round > ROUNDS -> break
    :: else ->
        if
        :: memory[TAKEN] == round - 1; fill(USER, round)
#if WITHOUT == TAKEN_ACQUIRE
        :: fill(USER, round); memory[TAKEN] == round - 1
#endif
        fi;
        issue(USER, FLAG, round, HAS(FLAG_RELEASE), false);
        round++
    od
}

active proctype reader()
{
    byte round = 1, got[2];
    do
    :: round > ROUNDS -> break
    :: else ->
        if
        :: memory[FLAG] == round;
            read(OWNER);
            issue(OWNER, TAKEN, round, HAS(TAKEN_RELEASE), false)
#if WITHOUT == FLAG_ACQUIRE
        :: read(OWNER); memory[FLAG] == round; issue(OWNER, TAKEN, round, true, false)
#elif WITHOUT == TAKEN_RELEASE && !defined(TSO)
        :: memory[FLAG] == round; issue(OWNER, TAKEN, round, false, false); read(OWNER)
#endif
        fi;
        assert(got[0] == round && got[1] == round);
        round++;
        got[0] = 0;
        got[1] = 0
    od
}
#endif

/* --- a lock ------------------------------------------------------------------------------- */

#ifdef LOCK
bool inside;
byte turns;

/* A compare and swap that fails changes nothing, and is done again. */
inline take(p)
{
#ifdef TSO
    d_step { EMPTIED(p) && memory[WORD] == FREE -> memory[WORD] = HELD_BY(p) }
#else
    atomic {
        memory[WORD] == FREE && !reserved && NO_RELEASE_WAITS(p) ->
        reserved = true;
        issue(p, WORD, HELD_BY(p), HAS(SWAP_RELEASE), false)
    }
#endif
}

inline give(p, is_release)
{
    if
    :: issue(p, WORD, FREE, is_release, false) /* a put */
#ifdef TSO
    :: d_step { EMPTIED(p) -> memory[WORD] = FREE }
#else
    :: NO_RELEASE_WAITS(p) -> issue(p, WORD, FREE, HAS(SWAP_RELEASE), false)
#endif
    fi
}

inline enter_early(p)
{
    if
    :: read(p); take(p)
    :: take(p); read(p)
    fi
}

#if WITHOUT == USER_ACQUIRE
#define ENTER_USER enter_early(self)
#else
#define ENTER_USER take(self); read(self)
#endif
#if WITHOUT == OWNER_ACQUIRE
#define ENTER_OWNER enter_early(OWNER)
#else
#define ENTER_OWNER take(OWNER); read(OWNER)
#endif

inline change(p)
{
    assert(!inside);
    inside = true;
    assert(got[0] == turns && got[1] == turns);
    turns++;
    fill(p, turns);
    got[0] = 0;
    got[1] = 0;
    inside = false
}

active [PROCESSORS - 1] proctype user()
{
    byte self = _pid, round, got[2]; /* the memory system is process 0 */
    assert(self >= USER && self < PROCESSORS);
    do
    :: round == ROUNDS -> break
    :: round < ROUNDS ->
        ENTER_USER;
        change(self);
        give(self, HAS(USER_RELEASE));
        round++
    od
}

/* Serves a chain of a compare and swap and a get, then one of two puts. */
active proctype owner()
{
    byte round, got[2];
    do
    :: round == ROUNDS -> break
    :: round < ROUNDS ->
        ENTER_OWNER;
        change(OWNER);
        give(OWNER, HAS(OWNER_RELEASE));
        round++
    od
}
#endif

/* --- news of a served operation ----------------------------------------------------------- */

#ifdef NEWS
active proctype owner()
{
    byte got;
    issue(OWNER, MARK, 1, false, false); /* the window is opened */
    memory[REQUEST] == 1;
    issue(OWNER, ANSWER, 1, HAS(ANSWER_RELEASE), false);
    if
    :: memory[REQUEST] == 2; load(OWNER, EARLIER, got)
#if WITHOUT == REQUEST_ACQUIRE
    :: load(OWNER, EARLIER, got); memory[REQUEST] == 2
#endif
    fi;
    assert(got == 1);
    fill(OWNER, 1);
    issue(OWNER, ANSWER, 2, HAS(ANSWER_RELEASE), false)
}

/* Asks for the description, compares the mark, puts a word, asks for a put, puts another. */
active proctype asker()
{
    byte mark, got[2];
    issue(USER, REQUEST, 1, HAS(REQUEST_RELEASE), false);
    if
    :: memory[ANSWER] == 1; load(USER, MARK, mark)
#if WITHOUT == ANSWER_ACQUIRE
    :: load(USER, MARK, mark); memory[ANSWER] == 1
#endif
    fi;
    assert(mark == 1);
    issue(USER, EARLIER, 1, true, false);
    issue(USER, REQUEST, 2, HAS(REQUEST_RELEASE), false);
#if WITHOUT != ENDING
    memory[ANSWER] == 2;
    read(USER);
    assert(got[0] == 1 && got[1] == 1);
#endif
    issue(USER, LATER, 1, true, false);
    issue(USER, NOTICE, 1, HAS(NEWS_RELEASE), false)
}

#define ALL_IS_THERE \
    (memory[FIRST] == 1 && memory[SECOND] == 1 && memory[MARK] == 1 && memory[EARLIER] == 1 && \
     memory[LATER] == 1)

active proctype third()
{
    bool found;
    if
    :: memory[NOTICE] == 1; found = ALL_IS_THERE
#if WITHOUT == NEWS_ACQUIRE
    :: found = ALL_IS_THERE; memory[NOTICE] == 1
#endif
    fi;
    assert(found)
}
#endif

/* --- a version ---------------------------------------------------------------------------- */

#ifdef VERSION
active proctype writer()
{
    byte round = 1;
    do
    :: round > ROUNDS -> break
    :: else ->
        issue(USER, NUMBER, 2 * round - 1, true, false);
#if WITHOUT == WORD_PUTS
        fill(USER, round);
#else
        issue(USER, FIRST, round, true, false);
        issue(USER, SECOND, round, true, false);
#endif
        issue(USER, NUMBER, 2 * round, true, false);
        round++
    od
}

active proctype reader()
{
    byte number, again, got[2];
    do
    :: number == 2 * ROUNDS && again == number -> break
    :: else ->
        load(OWNER, NUMBER, number);
        if
        :: read(OWNER); load(OWNER, NUMBER, again)
#if WITHOUT == WORD_GETS && !defined(TSO)
        :: load(OWNER, NUMBER, again); read(OWNER)
#endif
        fi;
        assert(number % 2 == 1 || again != number || (got[0] == number / 2 && got[1] == got[0]))
    od
}
#endif

/* --- two that announce themselves --------------------------------------------------------- */

#ifdef ANNOUNCE
bool saw[2];
byte looks;

inline set(p)
{
#if defined(TSO) && WITHOUT != ATOMICS
    d_step { EMPTIED(p) -> memory[p] = 1 }
#else
    issue(p, p, 1, true, false)
#endif
}

inline look(p)
{
    d_step {
#if WITHOUT == ATOMICS || WITHOUT == ATOMIC_LOOK
        true ->
#elif defined(TSO)
        EMPTIED(p) ->
#else
        NO_RELEASE_WAITS(p) ->
#endif
        saw[p] = (memory[1 - p] == 1);
        looks++;
        assert(looks < 2 || saw[0] || saw[1])
    }
}

active proctype user()
{
    set(USER);
    look(USER)
}

active proctype owner()
{
    set(OWNER);
    look(OWNER)
}
#endif
