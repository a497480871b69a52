/* The socket of the module `limits`: quotas of the peers of one identity, the audit, and the
 * watch over long calls. tci_core has no table of it while no option needs the module. */
#ifndef TCI_LIMITS_H
#define TCI_LIMITS_H

#include "core/ep.h"

#include <tc/code.h>

typedef struct tci_limits {
    /* Called when the peer's identity is known: sets ep->account if there are quotas, and
     * rx.metered. TC_E_REFUSED: option quota_connections. TC_E_NO_MEMORY. */
    tc_status (*admit)(tc_ep *ep, tc_error *err);
    /* Called when an endpoint with an account is being freed. */
    void (*leave)(tc_ep *ep);
    /* The endpoint has opened, ended in order, or failed for `error`. */
    void (*note_state)(const tc_ep *ep, const tc_error *error);
    /* A connection was refused before it had an endpoint, or, `handed`, ended in the process
     * that it was handed to. `peer` is its address, or "". */
    void (*note_stranger)(tci_core *core, const char *peer, const tc_error *error, bool handed);

    /* Around each batch, with TCI_WATCHED_BY_LIMITS. `bytes` are those to be read of the
     * ring; begin_batch returns how many may be. 0: the ring is paused now. */
    uint64_t (*begin_batch)(tc_ep *ep, uint64_t bytes);
    void (*end_batch)(tc_ep *ep, uint64_t messages);
    /* Called in a batch before objects of the last call may be freed. */
    void (*step)(const tc_ep *ep);
    /* Returns whether a metered endpoint has to wait, and adds TCI_WORK_RATE then. */
    bool (*waits)(tc_ep *ep);

    /* For endpoints with an account, after tx.queue_bytes has changed from `before`. Pauses or
     * ends the endpoint if the bytes that wait have become too many. */
    void (*queue)(tc_ep *ep, size_t before);
    /* Returns how many more bytes may wait; SIZE_MAX: any number. */
    size_t (*queue_left)(const tc_ep *ep);

    /* For endpoints with an account. check_code: before a slot takes a function, `known` if it
     * is here already, otherwise the one that `section` describes. TC_E_TOO_LARGE: the options
     * quota_functions, quota_code_bytes. check_compile: before a load. TC_E_NO_MEMORY:
     * compiling for the account took quota_compile_time in this minute. */
    tc_status (*check_code)(const tc_ep *ep, const tci_code_section *section,
                            const tc_ifunc *known, tc_error *err);
    tc_status (*check_compile)(tc_ep *ep, tc_error *err);
    void (*charge_compile)(tc_ep *ep, uint64_t ns);
    /* For endpoints with an account. may_add_task: whether one more function of the peer's may
     * wait, by the option quota_tasks. count_task: one more (1) or fewer (-1) waits. */
    bool (*may_add_task)(const tc_ep *ep);
    void (*count_task)(tc_ep *ep, int more);
    /* The peer may call `fn` from now on, or (NULL) its code was refused for `error`. */
    void (*note_code)(const tc_ep *ep, const tc_ifunc *fn, const tc_error *error);
    /* Operations of the peer on windows were refused for `error`. */
    void (*note_window)(const tc_ep *ep, const tc_error *error);

    /* A listener of the program is open, or is about to be closed. TC_E_NO_MEMORY, TC_E_IO,
     * statuses of tci_credentials_load. */
    tc_status (*listen)(tci_core *core, const tci_stream_listener *streams, tc_error *err);
    void (*unlisten)(tci_core *core, const tci_stream_listener *streams);
    /* tc_context_set_long_call_callback, tc_context_reopen_audit */
    void (*set_callback)(tci_core *core, tc_long_call_callback callback, void *user);
    tc_status (*reopen_audit)(tci_core *core, tc_error *err);
} tci_limits;

/* Returns an option that needs the module, or NULL. */
static inline const char *tci_limits_wanted(const struct tc_options *o)
{
    return o->quota_connections > 0    ? "option quota_connections"
           : o->quota_functions > 0    ? "option quota_functions"
           : o->quota_code_bytes > 0   ? "option quota_code_bytes"
           : o->quota_compile_time > 0 ? "option quota_compile_time"
           : o->quota_queue_bytes > 0  ? "option quota_queue_bytes"
           : o->quota_message_rate > 0 ? "option quota_message_rate"
           : o->quota_tasks > 0        ? "option quota_tasks"
           : o->call_time_max > 0      ? "option call_time_max"
           : o->audit[0] != '\0'       ? "option audit"
                                       : NULL;
}

/* --- for the core's files: the operations, which do nothing without the module ------------ */

TC_MUST_CHECK static inline tc_status tci_limits_admit(tc_ep *ep, tc_error *err)
{
    return ep->core->limits != NULL ? ep->core->limits->admit(ep, err) : TC_OK;
}

static inline void tci_limits_leave(tc_ep *ep)
{
    if (ep->account != NULL)
        ep->core->limits->leave(ep);
}

static inline void tci_limits_note_state(const tc_ep *ep, const tc_error *error)
{
    if (ep->core->limits != NULL)
        ep->core->limits->note_state(ep, error);
}

static inline void tci_limits_note_stranger(tci_core *core, const char *peer,
                                            const tc_error *error, bool handed)
{
    if (core->limits != NULL)
        core->limits->note_stranger(core, peer, error, handed);
}

static inline void tci_limits_step(const tc_ep *ep)
{
    if (__builtin_expect((ep->core->batch_watchers & TCI_WATCHED_BY_LIMITS) != 0, 0))
        ep->core->limits->step(ep);
}

static inline bool tci_limits_waits(tc_ep *ep)
{
    return ep->rx.metered && ep->core->limits->waits(ep);
}

static inline void tci_limits_queue(tc_ep *ep, size_t before)
{
    if (ep->account != NULL)
        ep->core->limits->queue(ep, before);
}

static inline size_t tci_limits_queue_left(const tc_ep *ep)
{
    return ep->account != NULL ? ep->core->limits->queue_left(ep) : SIZE_MAX;
}

TC_MUST_CHECK static inline tc_status tci_limits_check_code(const tc_ep *ep,
                                                            const tci_code_section *section,
                                                            const tc_ifunc *known,
                                                            tc_error *err)
{
    return ep->account != NULL ? ep->core->limits->check_code(ep, section, known, err) : TC_OK;
}

TC_MUST_CHECK static inline tc_status tci_limits_check_compile(tc_ep *ep, tc_error *err)
{
    return ep->account != NULL ? ep->core->limits->check_compile(ep, err) : TC_OK;
}

static inline void tci_limits_charge_compile(tc_ep *ep, uint64_t ns)
{
    if (ep->account != NULL)
        ep->core->limits->charge_compile(ep, ns);
}

static inline bool tci_limits_may_add_task(const tc_ep *ep)
{
    return ep->account == NULL || ep->core->limits->may_add_task(ep);
}

static inline void tci_limits_count_task(tc_ep *ep, int more)
{
    if (ep->account != NULL)
        ep->core->limits->count_task(ep, more);
}

static inline void tci_limits_note_code(const tc_ep *ep, const tc_ifunc *fn,
                                        const tc_error *error)
{
    if (ep->core->limits != NULL)
        ep->core->limits->note_code(ep, fn, error);
}

static inline void tci_limits_note_window(const tc_ep *ep, const tc_error *error)
{
    if (ep->core->limits != NULL)
        ep->core->limits->note_window(ep, error);
}

TC_MUST_CHECK static inline tc_status
tci_limits_listen(tci_core *core, const tci_stream_listener *streams, tc_error *err)
{
    return core->limits != NULL ? core->limits->listen(core, streams, err) : TC_OK;
}

static inline void tci_limits_unlisten(tci_core *core, const tci_stream_listener *streams)
{
    if (core->limits != NULL)
        core->limits->unlisten(core, streams);
}

#endif
