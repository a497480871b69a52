/* Names for shipped code, for crash handlers and profilers. Shipped code is in no symbol table,
 * so backtrace_symbols and dladdr do not know it.
 *
 * Both functions are async-signal-safe: a signal handler may call them, whatever the
 * interrupted thread was doing. Any thread. */
#ifndef TC_CODE_H
#define TC_CODE_H

#include <stddef.h>
#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enough for every text below. */
#define TC_CODE_TEXT_MAX 512

/* Names the shipped code at an address: "count_main+0x1f of 5f0a...". That is the name of the
 * piece of code, the distance from its start, and the function's content id in 32 hexadecimal
 * digits. A piece is an entry point ("count_main") or another function of compiled code
 * ("count:helper"; the sender keeps such names with -g). An image has no other names, so there
 * it is the code around the nearest entry point ("count"). Code that came with one message
 * (tc_send_injected) has no name.
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

#ifdef __cplusplus
}
#endif
#endif
