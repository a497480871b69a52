/* Who runs here, for crash handlers: code that was shipped is in no symbol table, so
 * backtrace_symbols and dladdr know nothing of it.
 *
 * Both calls may be made in a signal handler, whatever the thread was doing when it came. */
#ifndef TC_CODE_H
#define TC_CODE_H

#include <stddef.h>
#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enough for every text below. */
#define TC_CODE_TEXT_MAX 512

/* Names shipped code by an address in it: "count_main+0x1f of 5f0a...", the name of the piece
 * of code, the distance from its begin, and the function's content id in 32 hexadecimal digits.
 * Pieces are entry points (count_main), other functions of compiled code ("count:helper";
 * senders keep their names with -g), and in images, which have no other names, whatever follows
 * an entry point or precedes the first ("count"). Code that one message brought along
 * (tc_send_injected) has no name.
 *
 * Writes at most `size` bytes with the terminator; returns the length of the text, which was
 * cut off if that is `size` or more. 0, and an empty text: no function that runs here has
 * code at that address. Any thread. */
TC_API size_t tc_code_name(const void *address, char *text, size_t size);

/* Names the function that the calling thread is running for a peer: "function 'count' 5f0a...
 * from 127.0.0.1:40212, process 4711"; "injected code from ..." for one that came with its
 * message. The process is known for peers on this host. The same return values; 0: none is
 * running. */
TC_API size_t tc_code_running(char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
