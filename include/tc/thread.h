/* A context that serves itself: a thread of the library's progresses it, and the program's
 * threads use it meanwhile under the context's lock.
 *
 * A thread that holds the lock may call everything that takes the context, or an object made
 * from it: tc_send, tc_call, tc_ep_connect, tc_group_barrier, tc_ep_close. The lock is there
 * with and without a serving thread. Without the lock it may call the functions that other
 * headers allow to any thread (tc_wake), and those of this header.
 *
 * While the thread serves, functions that peers send run in it alone, and so do callbacks, but
 * for those that closing causes, and those of tc_context_destroy. Inside them the lock is held:
 * they may make the calls that an ifunc may make, and neither lock nor unlock.
 *
 * A call that blocks (tc_call, tc_send_wait, tc_ep_flush, tc_group_barrier and their like) lets
 * go of the lock while it waits, and has it again when it returns. So any number of threads may
 * wait in one context. Meanwhile others may use the endpoint, function or group that it waits
 * for, but not close it. tc_ep_close keeps the lock for as long as its goodbye takes, a second
 * at most.
 *
 * tc_progress lets the serving thread have a turn and returns 0. tc_wait returns TC_OK when
 * that thread ran a message or something else happened, and now and then for no reason.
 * tc_serve and tc_context_arm return TC_E_BUSY.
 *
 * The serving thread waits as the option `wait` says. It holds the lock while it polls, and
 * gives it to a thread that asks for it between two turns: at the latest after the functions
 * that run. It sleeps without the lock. A thread that has waited for 0.2 ms gets the lock
 * before all that ask later, the serving one after 0.05 ms: no thread is starved. Frequent
 * messages are best sent in batches, some messages each time the lock is held.
 *
 * To use a context without its lock while other threads use it is a mistake of the program. The
 * option check_threads, which is on in debug builds of the library and under tc-run, ends the
 * process when two threads are in calls of one context at a time, served or not, after a line
 * that names both threads and their calls. Without it only calls that would wait are noticed.
 *
 * In a child of fork the context is the parent's, and its lock cannot be taken. */
#ifndef TC_THREAD_H
#define TC_THREAD_H

#include <stddef.h>
#include <stdint.h>
#include <tc/abi.h>
#include <tc/context.h>
#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A zeroed struct is valid. */
typedef struct tc_thread_params {
    const char *name; /* 15 bytes at most, as debuggers show it; copied. NULL: "tc-context" */
    unsigned pinned;  /* 1: it runs on the processor cpu alone */
    unsigned cpu;
} tc_thread_params;

/* Starts the thread. It has all signals blocked but those that its own instructions cause.
 *
 *   params         copied; NULL: as if it were zeroed
 *
 *   TC_OK              the context is served; the lock is not held, unless it was before
 *   TC_E_INVALID       the name is too long, or this process may not run on that cpu
 *   TC_E_BUSY          a thread serves it already; or called from inside an ifunc or a
 *                      callback, or in a fork
 *   TC_E_IO            the operating system gave no descriptor
 *   TC_E_NO_MEMORY     there are no resources for another thread
 *   TC_E_UNSUPPORTED   params has a field that this library does not know, or the library was
 *                      built without the module `serving` */
TC_MUST_CHECK static inline tc_status
tc_context_start_thread(tc_context *ctx, const tc_thread_params *params, tc_error *err)
{
    return tc_context_start_thread_sized(ctx, params, sizeof *params, err);
}

/* Ends the thread, after the function that it runs, and waits until it has ended. Calls of
 * other threads that wait go on, as in any context, by progressing themselves with the lock
 * held. Without a thread nothing is done. tc_context_destroy does this by itself; no thread may
 * wait for the lock then.
 *
 *   TC_OK       no thread serves the context; the lock is held if it was before
 *   TC_E_BUSY   called from inside an ifunc or a callback, or in a fork: nothing is done */
TC_MUST_CHECK TC_API tc_status tc_context_stop_thread(tc_context *ctx, tc_error *err);

/* Takes the lock of the context. Any thread.
 *
 *   TC_OK             this thread holds it, until tc_context_unlock
 *   TC_E_TIMEOUT      others held it for all of timeout_ns
 *   TC_E_BUSY         this thread holds it already: so does the serving thread inside an ifunc
 *                     or a callback; or this is a fork
 *   TC_E_UNSUPPORTED  the library was built without the module `serving` */
TC_MUST_CHECK TC_API tc_status tc_context_lock(tc_context *ctx, uint64_t timeout_ns,
                                               tc_error *err);

/* Returns the lock. By a thread that does not hold it, and inside an ifunc or a callback, this
 * only logs an error. */
TC_API void tc_context_unlock(tc_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
