/* Three-Chains: functions that move between processes.
 *
 * A function is written in C and compiled once, for all architectures, into an archive. A
 * program sends it to a peer together with a payload, over UCX or through shared memory. The
 * first message carries the code, which the target compiles or links against its own process
 * and keeps. Every later message carries the payload alone and costs about as much as a bare
 * message.
 *
 * A source, which runs the function `count` at a peer:
 *
 *     #include <stdio.h>
 *     #include <tc/tc.h>
 *
 *     int main(void)
 *     {
 *         tc_context *ctx = NULL;
 *         tc_ep *ep;
 *         tc_ifunc *count;
 *         tc_error err;
 *         int failed = tc_context_create(NULL, &ctx, &err) != TC_OK ||
 *                      tc_ep_connect(ctx, "127.0.0.1:7000", 0, &ep, &err) != TC_OK ||
 *                      tc_ifunc_open(ctx, "count", &count, &err) != TC_OK ||
 *                      tc_call(ep, count, "payload", 8, NULL, NULL, 0, &err) != TC_OK;
 *         if (failed)
 *             fprintf(stderr, "%s: %s\n", tc_status_text(err.status), err.text);
 *         tc_context_destroy(ctx);
 *         return failed;
 *     }
 *
 * The target calls tc_listener_open once and tc_serve; the program tc-node does that.
 * The function itself defines count_main (<tc/entry.h>) and is compiled by `tc-clang count.c`.
 *
 * Objects
 *   tc_context   a UCX worker with the functions and endpoints that one thread serves
 *   tc_listener  accepts peers on a port
 *   tc_ep        an endpoint: an ordered, bidirectional connection to one peer
 *   tc_ifunc     a function that can be sent
 *
 * Threads. A context and everything made from it belong to one thread at a time: any thread,
 * under a lock, the caller's or tc_context_lock. Contexts are independent of each other.
 * Functions run in the thread that calls tc_progress, tc_wait or another function that
 * progresses; inside them no function that blocks may be called (TC_E_BUSY). Exceptions are
 * stated with the function.
 *
 * Progress. Nothing is sent or run behind the program's back: call tc_progress, tc_wait or
 * tc_ep_flush now and then, or let a thread of the library's do so (<tc/thread.h>).
 * TC_E_AGAIN is no failure: call tc_wait, which returns when there is capacity, then retry; or
 * tc_send_wait, which does both. A program that serves calls tc_serve.
 *
 * Timeouts. Nanoseconds: TC_SECONDS(30), TC_MILLISECONDS(5), TC_FOREVER. 0 is the option that
 * the function names, or, where it names none, to look once and not to wait.
 *
 * Ownership. The creator of an object closes it; objects that the context owns are freed with
 * it. Byte ranges and texts that are passed in are copied unless the function says otherwise.
 * Pointers that are passed to a callback are valid during it.
 *
 * Language. C99 or newer, and C++11 or newer: the headers have inline functions.
 *
 * Errors. Functions that can fail return a tc_status and write their outputs only on TC_OK. A
 * parameter `tc_error *err` receives a text and may be NULL; tc_send_error has that of tc_send
 * and of other calls that take none (<tc/status.h>).
 *
 * Security. Code that arrives runs with the rights of the process. By default a listener is on
 * loopback, accepts processes of its own user and root, and runs the code that they send. A
 * shared key (option key_file) or certificates (tls_cert) open it to others: connections are
 * TLS 1.3 then, authenticated on both sides. The options require_signature, trust, code_allow
 * and code_revoked determine which code runs, and the option symbols determines the symbols it
 * may bind. UCX over a network and tc_ep_connect_address are not protected by keys. Everything
 * a peer sends before its code runs is validated, and a peer that breaks the protocol loses its
 * endpoint. docs/security.md has the promises and their limits.
 *
 * Versions. A program may be older than the library, as long as the soname is the same. Public
 * structs only grow at their end, and <tc/abi.h> says how that is kept. Sources written for
 * release 0.1 compile, too: <tc/before_0_2.h> has the old names, unless TC_WITHOUT_0_1 is
 * defined.
 *
 * Headers
 *   status.h     statuses and errors
 *   options.h    options
 *   version.h    versions
 *   context.h    contexts, listeners, progress
 *   endpoint.h   endpoints
 *   ifunc.h      opening and sending functions
 *   call.h       calls: messages whose function returns a result
 *
 * Not included here, each for its subject
 *   advanced.h   rare calls of the objects above
 *   entry.h      functions that an ifunc defines, and those that it may call where it runs
 *   group.h      groups
 *   library.h    libraries that travel
 *   package.h    packages of functions and libraries
 *   remote.h     words for headers that declare remote functions
 *   am.h         active messages with segments, on memory of ranks (libtchains-am)
 *   am_op.h      their operations, which programs register
 *   am_entry.h   operations that travel
 *   object.h     objects that are constructed, called and moved (libtchains-objects)
 *   object_entry.h  their constructors and methods
 *   sim.h        simulated nodes, for tests (libtchains-sim)
 *   steady.h     endpoints that connect again, and calls through them (libtchains-steady)
 *   thread.h     a thread that progresses a context, and the lock for others
 *   window.h     memory that its owner opens for peers, and operations on it
 *   window_rows.h  gets and puts of any size, and of rows that lie apart
 *   window_view.h  windows of other processes of this user, mapped
 *   task.h       functions that wait
 *   task_sync.h  locks of these, and functions that run one at a time
 *   loader.h     functions in this process, without peers
 *   log.h        the log
 *   load.h       how functions were loaded, and how long it took
 *   cache.h      the object cache
 *   usage.h      statistics of functions, peers and identities
 *   code.h       names of shipped code, for crash handlers
 *   crash.h      a crash handler
 *   mpi.h        a group of an MPI communicator
 *   mpix_am.h    active messages in programs of MPI
 *   mpi_continue.h  functions that run when an MPI request completes
 *   ucx.h        a context on UCX objects of the application
 *   abi.h        exported functions that inline ones call
 *   before_0_2.h names of release 0.1 */
#ifndef TC_TC_H
#define TC_TC_H

#include <tc/call.h>
#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <tc/options.h>
#include <tc/status.h>
#include <tc/version.h>

#ifndef TC_WITHOUT_0_1
#include <tc/before_0_2.h>
#endif

#endif
