/* The credit of active messages (am/am_units.c): two ranks that send units to each other, over
 * a ring in each direction. A ring carries units and answers. A rank that has no capacity in it
 * queues its answers, and while it has more of them than the queue it reads nothing from its
 * peer, as send_queue_bytes makes it. Shown: with a credit of the queue's size every unit is answered,
 * whatever the size of the rings.
 *
 * A unit is one frame, its answer two.
 *
 * Mutations, each of which must break it: LARGE_CREDIT (an origin has more units under way than
 * the target can queue answers), NO_QUEUE (a target waits for capacity of the ring while it
 * answers). */

#ifndef RING
#define RING 1
#endif
#ifndef QUEUE
#define QUEUE 2
#endif
#ifdef LARGE_CREDIT
#define CREDIT (QUEUE + RING + 2)
#else
#define CREDIT QUEUE
#endif
#define UNITS 6

#define UNIT 1
#define ANSWER 2
#define REST 3 /* of an answer */

chan ring[2] = [RING] of { byte };
byte answered[2];   /* units of a rank */

proctype rank(byte me)
{
    byte sent, under_way, queue, frame;
    bool rest;
    byte peer = 1 - me;
    do
    :: sent < UNITS && under_way < CREDIT && nfull(ring[peer]) ->
        atomic { ring[peer] ! UNIT; sent++; under_way++ }
    :: queue > 0 && !rest && nfull(ring[peer]) ->
        atomic { ring[peer] ! ANSWER; rest = true }
    :: rest && nfull(ring[peer]) ->
        atomic { ring[peer] ! REST; rest = false; queue-- }
    :: queue <= QUEUE && nempty(ring[me]) ->
        ring[me] ? frame;
        if
        :: frame == ANSWER -> skip
        :: frame == REST ->
            d_step { under_way--; answered[me]++ }
        :: frame == UNIT ->
#ifdef NO_QUEUE
            ring[peer] ! ANSWER;
            ring[peer] ! REST
#else
            queue++
#endif
        fi
    :: answered[0] == UNITS && answered[1] == UNITS -> break
    od
}

init {
    atomic { run rank(0); run rank(1) }
}
