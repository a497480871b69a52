/* Functions that wait.
 *
 * A function that is declared by TC_THREADED may wait inside: for the answer of a call, for the
 * result of an operation on a window, for some time. While it waits, the context goes on: later
 * messages run, of the same endpoint, too. The function is then a task of the context. It goes
 * on when the answer is there and no other function runs.
 *
 *   TC_THREADED(add_up)(void *payload, size_t payload_size, void *target_args)
 *   {
 *       const tc_gptr *at = payload;
 *       uint64_t sum = 0, part;
 *       tc_error err;
 *       tc_ep *peer = tc_self_endpoint();
 *       for (size_t i = 0; i < payload_size / sizeof *at; i++, sum += part)
 *           if (tc_window_get(peer, at[i], &part, sizeof part, 0, &err) != TC_OK)
 *               return tc_self_fail(err.status, err.text);
 *       tc_reply(&sum, sizeof sum);
 *   }
 *
 * Calls that wait in it: tc_call, tc_calls_wait, the operations on windows that are not
 * started, tc_send_wait, tc_ep_flush, tc_group_barrier, tc_task_sleep, and functions of other
 * libraries that are made of these. tc_progress, tc_wait, tc_ep_connect, tc_group_call_all and
 * the like return TC_E_BUSY in it, as in any function. A function that does not wait takes a
 * few nanoseconds more than a plain one.
 *
 * Payload. It is the function's own copy, writable, at an address that stays until the function
 * returns: the message has left the ring. Sender, reply, tc_forward, tc_self_* and guards
 * (tc_self_guard) are the function's own, after a wait as before it.
 *
 * Order. Messages of an endpoint begin in order, and at each moment one function of a context
 * runs at most. One that waits lets others begin: variables that it shares with other messages
 * may have changed when it goes on. tc_ep_flush of the sender returns when the functions have
 * returned or wait.
 *
 * Stack. Functions that wait share one stack of 1 MiB; the bytes that one uses, 64 KiB at most,
 * are kept elsewhere while it waits, and other functions use the addresses. So the address of a
 * local variable must not be given to another message, thread or started operation: results of
 * the calls above are written when the function goes on. An overflow ends the process with a
 * line that names the function and its sender (tc/crash.h).
 *
 * In gdb `tc tasks` lists those that wait, and `tc task 1` shows the frames of one
 * (docs/debugging.md).
 *
 * Threads. A task goes on in the thread that it began in. While another thread progresses the
 * context it waits, and the log names it once. Never wait with a lock held that other functions
 * take: they run in the same thread. Locks of tc/task_sync.h are the ones to use.
 *
 * End. A task ends by returning. When its endpoint has ended, or its code is trusted no more,
 * its waits return that at once, so that it can return; tc_ep_close and tc_context_destroy
 * run it to its end. One that goes on waiting then is abandoned and named in the log.
 *
 * Not in this version: tasks of messages of tc_send_injected, in which waiting returns
 * TC_E_BUSY; tasks in processes with a shadow stack (x86 CET), likewise. */
#ifndef TC_TASK_H
#define TC_TASK_H

#include <stddef.h>
#include <tc/context.h>
#if defined(__cplusplus) && defined(__cpp_exceptions)
#include <cxxabi.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Begins the definition of a function that may wait; its parameters and body follow. NAME_main
 * is made of it. An older library (0.1.0) refuses it, as it lacks tc_task_run. A local function
 * (tc_ifunc_use_local) should be compiled with -fstack-clash-protection; tc-clang does so.
 *
 * In C++ each message has exceptions of its own, also when it waits in a handler. One that
 * would leave a shipped function ends the message alone (TC_E_THROWN).
 *
 *   name  of the function, without quotes */
#define TC_THREADED(name) TC_THREADED_EXPANDED(name)
#ifdef __cplusplus
#define TC_THREADED_LINKAGE extern "C"
#else
#define TC_THREADED_LINKAGE static
#endif
#if defined(__cplusplus) && defined(__cpp_exceptions)
#define TC_THREADED_EXCEPTIONS                                                                 \
    reinterpret_cast<void *(*)(void)>(reinterpret_cast<void (*)(void)>(abi::__cxa_get_globals))
#else
#define TC_THREADED_EXCEPTIONS 0
#endif
#define TC_THREADED_EXPANDED(name)                                                             \
    TC_THREADED_LINKAGE void name##_task(void *payload, size_t payload_size,                   \
                                         void *target_args);                                   \
    TC_THREADED_MAIN void name##_main(void *payload, size_t payload_size, void *target_args);  \
    void name##_main(void *payload, size_t payload_size, void *target_args)                    \
    {                                                                                          \
        tc_task_run(name##_task, TC_THREADED_EXCEPTIONS, payload, payload_size, target_args);  \
    }                                                                                          \
    void name##_task
#ifdef __cplusplus
#define TC_THREADED_MAIN extern "C"
#else
#define TC_THREADED_MAIN extern
#endif

/* Runs `body` with a copy of the payload, so that it may wait. Returns when the body has
 * returned or waits. TC_THREADED's NAME_main calls it, for the running message. Elsewhere, in a
 * body, and while the message has memory of tc_reply_begin, it calls `body` as it is. Without
 * memory for the copy the message fails (tc_self_fail, TC_E_NO_MEMORY).
 *
 *   exceptions  returns the two words that C++ keeps for each thread (__cxa_get_globals of the
 *               Itanium C++ ABI); NULL for other languages */
TC_API void tc_task_run(void (*body)(void *payload, size_t payload_size, void *target_args),
                        void *(*exceptions)(void), void *payload, size_t payload_size,
                        void *target_args);

/* Waits for that long, in nanoseconds; 0 lets others run once.
 *
 *   TC_E_BUSY       the running code is not inside TC_THREADED's
 *   TC_E_CLOSED     either side closed the endpoint that the message came by
 *   TC_E_PEER_LOST  that endpoint has failed
 *   TC_E_REFUSED    the function is not trusted any more
 *   TC_E_TOO_LARGE  it uses more than 64 KiB of stack, or too many wait: a context has at most
 *                   1,048,576, one endpoint three quarters of those that others leave, and
 *                   the peers of one identity as many as the option quota_tasks
 *   TC_E_NO_MEMORY  for its stack */
TC_MUST_CHECK TC_API tc_status tc_task_sleep(uint64_t ns);

/* Returns the number of functions that wait. */
TC_API size_t tc_task_count(const tc_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
