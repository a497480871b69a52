/* The socket of the module serving: a context that a thread of the library serves, and guests,
 * the other threads that use it. A guest holds the context's lock and does not progress. When
 * it has to wait, it releases the lock until the serving thread finds the awaited condition
 * fulfilled. The inline functions are for the core; without the module, or before a thread was
 * started, they do what a context does that one thread uses. */
#ifndef TCI_GUESTS_H
#define TCI_GUESTS_H

#include "context/context_object.h"
#include "core/sole_user.h"

/* A condition that a call waits for. The serving thread checks it, with the lock held. */
typedef struct tci_awaited {
    bool (*is_there)(void *arg);
    void *arg;
    bool is_silent; /* no message and no event announces it: checked after every turn */
} tci_awaited;

typedef struct tci_guests_ops {
    /* Ends the thread, if there is one, and if this is neither that thread nor a forked child.
     * The caller alone uses the context then. */
    void (*end)(tc_context *ctx);
    /* Returns whether this thread is another one than the serving thread. */
    bool (*is_other_thread)(const tc_context *ctx);
    tc_status (*wait)(tc_context *ctx, uint64_t deadline_ns, const tci_awaited *what);
    void (*await_turn)(tc_context *ctx);
    /* The rest is called by the serving thread. */
    void (*tell)(tc_context *ctx, bool something_happened);
    void (*begin_sleep)(tc_context *ctx, uint64_t until_ns);
    bool (*end_sleep)(tc_context *ctx);
    void (*give_way)(tc_context *ctx);
    void (*let_in)(tc_context *ctx);
} tci_guests_ops;

static inline void tci_guests_end_serving(tc_context *ctx)
{
    if (ctx->guests.ops != NULL)
        ctx->guests.ops->end(ctx);
}

/* Returns whether another thread serves this context. Called with the lock held, or inside the
 * serving thread. */
static inline bool tci_guests_is_one(const tc_context *ctx)
{
    const unsigned causes = ctx->core.pending.causes & (unsigned)(TCI_SERVED | TCI_FORKED);
    return causes == TCI_SERVED && ctx->guests.ops->is_other_thread(ctx);
}

/* tci_sole_user_enter for a call that waits. A guest does not enter, as it lets others in
 * meanwhile. */
static inline bool tci_guests_enter_call(tc_context *ctx, const char *call)
{
    return !tci_guests_is_one(ctx) && tci_sole_user_enter(&ctx->core, call);
}

/* Waits, without the lock, until the condition is fulfilled; `what` NULL: until any event, or
 * spuriously. TC_E_TIMEOUT: the deadline has passed. TC_E_BUSY: this thread does not hold the
 * lock, which is logged. */
TC_MUST_CHECK static inline tc_status tci_guests_wait(tc_context *ctx, uint64_t deadline_ns,
                                                      const tci_awaited *what)
{
    return ctx->guests.ops->wait(ctx, deadline_ns, what);
}

/* Waits, without the lock, until the serving thread has finished a turn that begins from here
 * on. */
static inline void tci_guests_await_turn(tc_context *ctx)
{
    ctx->guests.ops->await_turn(ctx);
}

/* --- by the serving thread --------------------------------------------------------------- */

/* Called after a turn: wakes the guests with a fulfilled condition. */
static inline void tci_guests_tell(tc_context *ctx, bool something_happened)
{
    if (ctx->guests.first != NULL)
        ctx->guests.ops->tell(ctx, something_happened);
}

/* Releases the lock for a sleep, which ends by itself at until_ns. */
static inline void tci_guests_begin_sleep(tc_context *ctx, uint64_t until_ns)
{
    ctx->guests.ops->begin_sleep(ctx, until_ns);
}

/* Takes the lock again. Returns whether another thread held it meanwhile. */
static inline bool tci_guests_end_sleep(tc_context *ctx)
{
    return ctx->guests.ops->end_sleep(ctx);
}

/* Lets other threads run, guests among them: a guest that was woken may find the lock free. */
static inline void tci_guests_give_way(tc_context *ctx)
{
    ctx->guests.ops->give_way(ctx);
}

/* Called between two turns: lets in threads that want the lock. */
static inline void tci_guests_let_in(tc_context *ctx)
{
    ctx->guests.ops->let_in(ctx);
}

#endif
