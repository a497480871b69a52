/* A line on standard error when the process dies: which function of which peer was running. For
 * programs that run functions of others and have no crash handler of their own; other programs
 * call tc_code_name and tc_code_running in theirs (<tc/code.h>). */
#ifndef TC_CRASH_H
#define TC_CRASH_H

#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the line, without the program's name and without its newline, after it was written.
 * Called in the signal handler, so it may only call async-signal-safe functions, and of this
 * library only tc_code_name, tc_code_running and tc_wake. The text is valid until it
 * returns. */
typedef void (*tc_crash_callback)(void *user, const char *line);

/* Installs a handler of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP and SIGABRT, for all threads,
 * which writes one line to standard error:
 *
 * "node: SIGSEGV in count_main+0x1f of 5f0a...; running: function 'count' 5f0a... from
 * 127.0.0.1:40212, process 4711". The first part is the shipped code that the instruction
 * belongs to (tc_code_name), and is missing if it is not shipped code, but a library that it
 * called or the program itself; the second is the function that the thread ran
 * (tc_code_running), or "no function". Behind a store that the option payload=readonly has not
 * allowed stands "; it wrote to its payload, which is read-only (option payload)", or
 * "(TC_PAYLOAD_READONLY)" where the function asked for that.
 *
 * The handler is async-signal-safe, allocates nothing and leaves errno alone. It then puts the
 * handler back that was there before, or the default, and has the signal come again: a core is
 * written, and the exit status is the same, as without it. A program that has a handler of its
 * own installs that one first. A program with handlers that recover from these signals (a
 * garbage collector, siglongjmp) should not call this function: the handler writes the line of
 * the first such signal, and is not installed afterwards.
 *
 * The thread that calls this gets a stack for signals, if it has none, so that its line is
 * written also when its own stack is full, or that of functions that wait (tc/task.h). So do
 * threads that tc_context_start_thread starts later. Other threads call sigaltstack(2) for
 * that.
 *
 * Call it once, before there are other threads that may crash; contexts need not be there yet.
 * A second call replaces name and callback. Nothing takes it back. A child of fork has it, too.
 *
 *   program   begins the line; its first 63 bytes are copied
 *   callback  receives the line as well as standard error; or NULL
 *   user      passed on to it */
TC_API void tc_crash_line_install(const char *program, tc_crash_callback callback, void *user);

#ifdef __cplusplus
}
#endif
#endif
