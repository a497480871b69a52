/* Names for shipped code, for crash handlers and profilers. Shipped code is in no symbol table,
 * so backtrace_symbols and dladdr do not know it. Also a callback for calls that do not return.
 *
 * tc_code_name and tc_code_running are async-signal-safe: a signal handler may call them,
 * whatever the interrupted thread was doing. Any thread. */
#ifndef TC_CODE_H
#define TC_CODE_H

#include <stddef.h>
#include <stdint.h>
#include <tc/context.h>
#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enough for every text below. */
#define TC_CODE_TEXT_MAX 512

/* Names the shipped code at an address: "count_main+0x1f of 5f0a...". The text has the name of
 * the piece of code, the distance from its start, and the function's content id in 32
 * hexadecimal digits. A piece is an entry point ("count_main") or another function of compiled
 * code ("count:helper"; the sender keeps such names with -g). An image has no other names, so
 * there it is the code around the nearest entry point ("count"). Code that came with one
 * message (tc_send_injected) has no name.
 *
 *   address  any address; it is not dereferenced
 *   text     receives at most `size` bytes, terminator included
 *
 * Returns the length of the whole text; it was truncated if that is `size` or more. Returns 0,
 * with an empty text, if no function that runs here has code at the address. */
TC_API size_t tc_code_name(const void *address, char *text, size_t size);

/* Names the function that the calling thread runs for a peer: "function 'count' 5f0a... from
 * 127.0.0.1:40212, process 4711", or "injected code from ..." for tc_send_injected. The process
 * id is known for peers on this host. Parameters and return value as tc_code_name; 0: the
 * thread runs no function. */
TC_API size_t tc_code_running(char *text, size_t size);

/* A call that has been running for longer than the option call_time_max, and still runs. */
typedef struct tc_long_call {
    const char *function; /* its name; "" for injected code */
    const char *id;       /* its content id in 32 hexadecimal digits; "" for injected code */
    const char *peer;     /* its sender: "127.0.0.1:40212", or "connection 3" */
    uint64_t peer_pid;    /* 0: not on this host */
    uint64_t running_ns;  /* so far, or up to a quarter of time_max_ns longer */
    uint64_t time_max_ns; /* the option */
} tc_long_call;

/* Called once for each such call, in a thread of the library's, while the function runs in the
 * context's. The texts are valid until it returns. It may call nothing of this library. */
typedef void (*tc_long_call_callback)(void *user, const tc_long_call *call);

/* Sets a callback to be called in addition to the line in the log; NULL: none. With the option
 * call_time_max at 0 it is never called. It belongs to the thread of the context, unlike the
 * above.
 *
 *   callback  see tc_long_call_callback
 *   user      passed on to it */
TC_API void tc_context_set_long_call_callback(tc_context *ctx, tc_long_call_callback callback,
                                              void *user);

#ifdef __cplusplus
}
#endif
#endif
