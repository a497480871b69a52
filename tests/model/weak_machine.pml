/* A weak machine of two processors, or of PROCESSORS, as docs/memory-model.md describes it:
 * stores wait in a buffer of their processor's and reach memory in any order, but for what the
 * rules below keep.
 *
 *   - Two stores of one processor to one place arrive in program order.
 *   - A release arrives after every store that its processor issued before it.
 *   - A streamed store (past the caches, x86_64) is not waited for by a release.
 *
 * With -DTSO it is x86_64 as it is: what is stored arrives in program order, streamed stores
 * excepted. Loads that come too early or too late are up to the models. ARRIVED, which a model
 * may define, is executed with each store that reaches memory. */

#ifndef PROCESSORS
#define PROCESSORS 2 /* or 3 */
#endif
#ifndef BUFFER
#define BUFFER 6 /* stores that a processor can have waiting */
#endif

typedef store {
    byte at;
    byte value;
    bool release;
    bool streamed
}

typedef buffer {
    store waiting[BUFFER];
    byte count
}

buffer buffers[PROCESSORS];
byte memory[MEMORY];
hidden byte shifted;

#ifndef ARRIVED
#define ARRIVED(where, what) skip
#endif

#define STORE(p, i) buffers[p].waiting[i]

/* Processor p executes a store. */
inline issue(p, where, what, is_release, is_streamed)
{
    d_step {
        buffers[p].count < BUFFER ->
        STORE(p, buffers[p].count).at = where;
        STORE(p, buffers[p].count).value = what;
        STORE(p, buffers[p].count).release = is_release;
        STORE(p, buffers[p].count).streamed = is_streamed;
        buffers[p].count++
    }
}

/* The store i of processor p reaches memory, and those behind it move up. */
inline arrive(p, i)
{
    memory[STORE(p, i).at] = STORE(p, i).value;
    ARRIVED(STORE(p, i).at, STORE(p, i).value);
    shifted = i + 1;
    do
    :: shifted < buffers[p].count ->
        STORE(p, shifted - 1).at = STORE(p, shifted).at;
        STORE(p, shifted - 1).value = STORE(p, shifted).value;
        STORE(p, shifted - 1).release = STORE(p, shifted).release;
        STORE(p, shifted - 1).streamed = STORE(p, shifted).streamed;
        shifted++
    :: else -> break
    od;
    buffers[p].count--;
    STORE(p, buffers[p].count).at = 0;
    STORE(p, buffers[p].count).value = 0;
    STORE(p, buffers[p].count).release = false;
    STORE(p, buffers[p].count).streamed = false;
    shifted = 0
}

/* Whether store i may arrive before store j, which was issued before it. */
#ifdef TSO
#define PASSES(p, i, j) \
    (STORE(p, i).at != STORE(p, j).at && (STORE(p, i).streamed || STORE(p, j).streamed))
#else
#define PASSES(p, i, j) \
    (STORE(p, i).at != STORE(p, j).at && (!STORE(p, i).release || STORE(p, j).streamed))
#endif

#define READY_0(p) (buffers[p].count > 0)
#define READY_1(p) (buffers[p].count > 1 && PASSES(p, 1, 0))
#define READY_2(p) (buffers[p].count > 2 && PASSES(p, 2, 0) && PASSES(p, 2, 1))
#define READY_3(p) \
    (buffers[p].count > 3 && PASSES(p, 3, 0) && PASSES(p, 3, 1) && PASSES(p, 3, 2))
#define READY_4(p) \
    (buffers[p].count > 4 && PASSES(p, 4, 0) && PASSES(p, 4, 1) && PASSES(p, 4, 2) && \
     PASSES(p, 4, 3))
#define READY_5(p) \
    (buffers[p].count > 5 && PASSES(p, 5, 0) && PASSES(p, 5, 1) && PASSES(p, 5, 2) && \
     PASSES(p, 5, 3) && PASSES(p, 5, 4))

#define EMPTIED(p) (buffers[p].count == 0)

active proctype memory_system()
{
end:
    do
    :: d_step { READY_0(0) -> arrive(0, 0) }
    :: d_step { READY_1(0) -> arrive(0, 1) }
    :: d_step { READY_2(0) -> arrive(0, 2) }
    :: d_step { READY_3(0) -> arrive(0, 3) }
    :: d_step { READY_4(0) -> arrive(0, 4) }
    :: d_step { READY_5(0) -> arrive(0, 5) }
    :: d_step { READY_0(1) -> arrive(1, 0) }
    :: d_step { READY_1(1) -> arrive(1, 1) }
    :: d_step { READY_2(1) -> arrive(1, 2) }
    :: d_step { READY_3(1) -> arrive(1, 3) }
    :: d_step { READY_4(1) -> arrive(1, 4) }
    :: d_step { READY_5(1) -> arrive(1, 5) }
#if PROCESSORS > 2
    :: d_step { READY_0(2) -> arrive(2, 0) }
    :: d_step { READY_1(2) -> arrive(2, 1) }
    :: d_step { READY_2(2) -> arrive(2, 2) }
    :: d_step { READY_3(2) -> arrive(2, 3) }
    :: d_step { READY_4(2) -> arrive(2, 4) }
    :: d_step { READY_5(2) -> arrive(2, 5) }
#endif
    od
}
