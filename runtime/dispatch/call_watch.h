/* Names functions that run longer than the option call_time_max, and says what runs so long that
 * others notice.
 *
 * A thread of its own looks several times in that time at what runs. The words that it compares
 * are those that every call writes anyway. What it names and compares by is freed by the
 * context's thread alone, which therefore waits, whenever it comes back from functions, while
 * this thread looks. To learn that it does costs one load: the looking side executes a barrier for
 * both (base/process_barrier.h), and where the kernel has none, the other side takes the lock each
 * time. A call is named once, while it runs, by a line of the log, the counter and the program's
 * callback. It is not ended: nothing can end a function but the end of its process. */
#ifndef TCI_CALL_WATCH_H
#define TCI_CALL_WATCH_H

#include "core/current.h"
#include "core/ep.h"

#include <tc/code.h>

typedef struct tci_call_watch tci_call_watch;

/* From when on a call keeps others waiting. */
#define TCI_CALL_WATCH_BUSY_NS 1000000000ull

/* A call that has been running for TCI_CALL_WATCH_BUSY_NS. */
typedef struct tci_busy_call {
    uint64_t running_ns;
    char function[TCI_ARCHIVE_NAME_MAX + 1]; /* "" for injected code */
    char sender[TCI_TLS_IDENTITY_MAX];       /* its identity, or else its address */
} tci_busy_call;

/* Receives, after each look and in the watch's thread, such a call, or NULL while there is none.
 * Returns whether it wants to be called again soon. */
typedef bool (*tci_busy_callback)(void *user, const tci_busy_call *call);

/* Starts the thread. TC_E_NO_MEMORY; TC_E_IO: there can be no thread. */
TC_MUST_CHECK tc_status tci_call_watch_create(uint64_t time_max_ns, tci_call_watch **watch_out,
                                              tc_error *err);
/* No function runs. NULL is allowed. */
void tci_call_watch_destroy(tci_call_watch *watch);

/* Any thread, also while functions run. */
void tci_call_watch_set_callback(tci_call_watch *watch, tc_long_call_callback callback,
                                 void *user);
void tci_call_watch_set_busy_callback(tci_call_watch *watch, tci_busy_callback callback,
                                      void *user);

/* The calling thread runs functions of this endpoint, of a core that has a watch, from here on;
 * and none any more, with those that were named counted. */
void tci_call_watch_begin(const tc_ep *ep);
void tci_call_watch_end(const tc_ep *ep);

/* What the thread's tci_current named before is not looked at any more, and what it names now
 * may be. */
void tci_call_watch_sync(const tc_ep *ep);
static inline void tci_call_watch_step(const tc_ep *ep)
{
    if (__builtin_expect(ep->core->call_watch != NULL, 0))
        tci_call_watch_sync(ep);
}

/* What the thread does each time. Returns whether it is to look again soon. */
bool tci_call_watch_look(tci_call_watch *watch, uint64_t now_ns);

#endif
