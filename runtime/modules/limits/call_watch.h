/* Reports functions that run longer than the option call_time_max, and those that run so long
 * that others are kept waiting.
 *
 * A separate thread samples the running call several times within call_time_max. It compares
 * words that every call writes anyway. Only the context's thread frees the objects that are
 * sampled. Therefore, whenever it returns from functions, it waits while a sample is being
 * taken. Checking for that costs one load: the sampling thread executes a barrier for both
 * (base/process_barrier.h). Where the kernel has no such barrier, the context's thread takes
 * the lock each time. A call is reported once, while it runs, by a log line, the counter and
 * the program's callback. It is not ended: only the end of its process ends a function. */
#ifndef TCI_CALL_WATCH_H
#define TCI_CALL_WATCH_H

#include "core/current.h"
#include "core/ep.h"

#include <tc/code.h>

typedef struct tci_call_watch tci_call_watch;

/* A call that runs this long keeps others waiting; they learn of it within a second. */
#define TCI_CALL_WATCH_BUSY_NS 600000000ull

/* A call that has been running for TCI_CALL_WATCH_BUSY_NS. */
typedef struct tci_busy_call {
    uint64_t running_ns;
    char function[TCI_ARCHIVE_NAME_MAX + 1]; /* "" for injected code */
    char sender[TCI_TLS_IDENTITY_MAX];       /* the sender's identity, otherwise its address */
} tci_busy_call;

/* Called after each sample, in the watch's thread, with a call that has run this long, or with
 * NULL while there is no such call. Returns whether it wants to be called again soon. */
typedef bool (*tci_busy_callback)(void *user, const tci_busy_call *call);

/* Starts the thread. TC_E_NO_MEMORY; TC_E_IO: the thread could not be started. */
TC_MUST_CHECK tc_status tci_call_watch_create(uint64_t time_max_ns, tci_call_watch **watch_out,
                                              tc_error *err);
/* Must not be called while a function runs. NULL is allowed. */
void tci_call_watch_destroy(tci_call_watch *watch);

/* May be called by any thread, also while functions run. */
void tci_call_watch_set_callback(tci_call_watch *watch, tc_long_call_callback callback,
                                 void *user);
void tci_call_watch_set_busy_callback(tci_call_watch *watch, tci_busy_callback callback,
                                      void *user);

/* State that the calling thread begins to run functions of this endpoint, and that it has
 * stopped. tci_call_watch_end also counts the calls reported. */
void tci_call_watch_begin(tci_call_watch *watch, const tc_ep *ep);
void tci_call_watch_end(tci_call_watch *watch, tci_core *core);

/* Waits until a running sample has ended. After that, objects that the thread's tci_current
 * named before are no longer read; those that it names now may be. */
void tci_call_watch_sync(tci_call_watch *watch, const tci_core *core);

/* Takes one sample, as the thread does. Returns whether the next one should follow soon. */
bool tci_call_watch_look(tci_call_watch *watch, uint64_t now_ns);

#endif
