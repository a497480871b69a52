/* The lock of a context, and threads that use a context which another thread serves. A guest
 * holds the lock, does not progress, and when it has to wait lets go of the lock until the
 * serving thread finds that what it waits for is there. */
#ifndef TCI_GUESTS_H
#define TCI_GUESTS_H

#include "context/context_object.h"

/* What somebody waits for. Asked with the lock held, by the serving thread. */
typedef struct tci_awaited {
    bool (*is_there)(void *arg);
    void *arg;
    bool is_silent; /* no message and no event tells of it: asked after every turn */
} tci_awaited;

void tci_guests_init(tci_guests *guests);
void tci_guests_fini(tci_guests *guests);

/* tci_sole_user_enter for a call that waits. A guest lets others in meanwhile, and does not enter. */
bool tci_guests_enter_call(tc_context *ctx, const char *call);

/* Another thread serves this context. With the lock held, or inside the serving thread. */
bool tci_guests_is_one(const tc_context *ctx);

/* Waits, without the lock, until it is there; `what` NULL: until anything has happened, or for
 * no reason. TC_E_TIMEOUT: the deadline has passed. TC_E_BUSY: this thread does not hold the
 * lock; the log has it. */
TC_MUST_CHECK tc_status tci_guests_wait(tc_context *ctx, uint64_t deadline_ns,
                                        const tci_awaited *what);
/* Waits so until the serving thread has finished a turn that begins from here on. */
void tci_guests_await_turn(tc_context *ctx);

/* --- by the serving thread --------------------------------------------------------------- */

/* After a turn: wakes those who have what they wait for. */
void tci_guests_tell(tc_context *ctx, bool something_happened);
/* It sleeps from here on, without the lock; until when a guest need not wake it. */
void tci_guests_begin_sleep(tc_context *ctx, uint64_t until_ns);
/* Takes the lock again. Returns whether somebody held it meanwhile. */
bool tci_guests_end_sleep(tc_context *ctx);
/* Lets other threads run, guests among them: who was told may find the lock free. */
void tci_guests_give_way(tc_context *ctx);
/* Between two turns. */
void tci_guests_let_in(tc_context *ctx);
/* Takes the lock at first. */
void tci_guests_take(tc_context *ctx);

/* --- by whoever starts and ends that thread ---------------------------------------------- */

/* Ends its sleep, if it sleeps. */
void tci_guests_wake_server(tc_context *ctx);
/* All that wait look again. */
void tci_guests_tell_all(tc_context *ctx);

#endif
