/* The lock of a context, and guests: threads that use a context which another thread serves. A
 * guest holds the lock and does not progress. When it has to wait, it releases the lock until
 * the serving thread finds the awaited condition fulfilled. */
#ifndef TCI_GUESTS_H
#define TCI_GUESTS_H

#include "context/context_object.h"

/* A condition that a call waits for. The serving thread checks it, with the lock held. */
typedef struct tci_awaited {
    bool (*is_there)(void *arg);
    void *arg;
    bool is_silent; /* no message and no event announces it: checked after every turn */
} tci_awaited;

void tci_guests_init(tci_guests *guests);
void tci_guests_fini(tci_guests *guests);

/* tci_sole_user_enter for a call that waits. A guest does not enter, as it lets others in
 * meanwhile. */
bool tci_guests_enter_call(tc_context *ctx, const char *call);

/* Returns whether another thread serves this context. Called with the lock held, or inside the
 * serving thread. */
bool tci_guests_is_one(const tc_context *ctx);

/* Waits, without the lock, until the condition is fulfilled; `what` NULL: until any event, or
 * spuriously. TC_E_TIMEOUT: the deadline has passed. TC_E_BUSY: this thread does not hold the
 * lock, which is logged. */
TC_MUST_CHECK tc_status tci_guests_wait(tc_context *ctx, uint64_t deadline_ns,
                                        const tci_awaited *what);
/* Waits, without the lock, until the serving thread has finished a turn that begins from here
 * on. */
void tci_guests_await_turn(tc_context *ctx);

/* --- by the serving thread --------------------------------------------------------------- */

/* Called after a turn: wakes the guests with a fulfilled condition. */
void tci_guests_tell(tc_context *ctx, bool something_happened);
/* Releases the lock for a sleep, which ends by itself at until_ns. */
void tci_guests_begin_sleep(tc_context *ctx, uint64_t until_ns);
/* Takes the lock again. Returns whether another thread held it meanwhile. */
bool tci_guests_end_sleep(tc_context *ctx);
/* Lets other threads run, guests among them: a guest that was woken may find the lock free. */
void tci_guests_give_way(tc_context *ctx);
/* Called between two turns: lets in threads that want the lock. */
void tci_guests_let_in(tc_context *ctx);
/* Takes the lock. */
void tci_guests_take(tc_context *ctx);

/* --- by the threads that start and end that thread --------------------------------------- */

/* Ends the serving thread's sleep, if it sleeps. */
void tci_guests_wake_server(tc_context *ctx);
/* Wakes all guests, so that they check again. */
void tci_guests_tell_all(tc_context *ctx);

#endif
