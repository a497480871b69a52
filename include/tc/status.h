/* The status that every fallible function returns, and the text that explains a failure.
 *
 * A function that can fail returns a tc_status. It writes its outputs only when it returns
 * TC_OK. On failure it fills a tc_error, with a text that states the value found and the value
 * expected. A parameter `tc_error *err` may always be NULL.
 *
 * Three kinds of functions take no tc_error. Every message passes through those that send
 * (tc_send, ...): tc_send_error has the text of the newest that failed. For those that run
 * inside a function (tc_reply, tc_forward, ...), the caller of that function receives the text.
 * For the others the status is sufficient (tc_wait, tc_serve, tc_context_arm, tc_call_cancel,
 * tc_options_get).
 *
 * Mistakes of the program, such as a NULL handle, are asserted. Bytes from outside never
 * are. */
#ifndef TC_STATUS_H
#define TC_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TC_API __attribute__((visibility("default")))
#define TC_MUST_CHECK __attribute__((warn_unused_result))
#define TC_PRINTF(fmt_arg, first_arg) __attribute__((format(printf, fmt_arg, first_arg)))
#else
#define TC_API
#define TC_MUST_CHECK
#define TC_PRINTF(fmt_arg, first_arg)
#endif

/* Values are stable: control messages carry them. New ones are appended. */
typedef enum tc_status {
    TC_OK = 0,
    TC_E_AGAIN = -1,             /* no credit or a full queue: progress, then retry */
    TC_E_TIMEOUT = -2,           /* the deadline passed first */
    TC_E_INVALID = -3,           /* an argument or option outside its range */
    TC_E_NO_MEMORY = -4,         /* an allocation failed */
    TC_E_NOT_FOUND = -5,         /* no such file, function, option, rank or call */
    TC_E_TOO_LARGE = -6,         /* above a limit that the text names */
    TC_E_CORRUPT = -7,           /* bytes that break their format or content id */
    TC_E_VERSION = -8,           /* incompatible versions; the text has both */
    TC_E_NO_SLICE = -9,          /* an archive without code for this machine */
    TC_E_UNRESOLVED = -10,       /* the process lacks symbols; the text names all */
    TC_E_NO_LIBRARY = -11,       /* a library of the .deps list does not load */
    TC_E_COMPILE = -12,          /* LLVM refused the code; the text says why */
    TC_E_REFUSED = -13,          /* the peer refused the connection or function */
    TC_E_UNREACHABLE = -14,      /* no peer listens there, or no route */
    TC_E_PEER_LOST = -15,        /* the peer died or broke the protocol */
    TC_E_IN_USE = -16,           /* the port or name is taken */
    TC_E_IO = -17,               /* the operating system failed; errno's text */
    TC_E_UCX = -18,              /* UCX failed; its text */
    TC_E_UNSUPPORTED = -19,      /* valid, but not in this build or machine */
    TC_E_PAYLOAD = -20,          /* NAME_payload_init returned non-zero */
    TC_E_CLOSED = -21,           /* either side closed the endpoint */
    TC_E_BUSY = -22,             /* not allowed from inside an ifunc */
    TC_E_HOPS = -23,             /* forwarded more often than allowed */
    TC_E_ABSENT = -24,           /* a library that travels is not at the node */
    TC_E_THROWN = -25,           /* an exception ended a function; the text has its message */
    TC_STATUS_LAST = TC_E_THROWN /* the most negative value of this version */
} tc_status;

/* Timeouts are in nanoseconds, and follow one rule: 0 is the option that the function names
 * (connect_timeout, call_timeout), or, where it names none, to look once and not to wait;
 * TC_FOREVER waits for ever. `tc_ep_flush(ep, TC_SECONDS(30), &err)` */
#define TC_FOREVER UINT64_MAX
#define TC_SECONDS(n) ((uint64_t)(n)*1000000000u)
#define TC_MILLISECONDS(n) ((uint64_t)(n)*1000000u)

#define TC_ERROR_TEXT_MAX 1024

/* Why a function failed. The caller owns the memory and may reuse it; the library writes it
 * only when it fails. Its size never changes. */
typedef struct tc_error {
    tc_status status;
    char text[TC_ERROR_TEXT_MAX]; /* one line, lower case, terminated */
} tc_error;

/* A short constant text for a status: "deadline passed". Never NULL; an unknown value gives
 * "unknown status". Any thread. */
TC_API const char *tc_status_text(tc_status status);

/* The name of a status: "TC_E_AGAIN". Never NULL; an unknown value gives "TC_E_?". Any thread.
 * */
TC_API const char *tc_status_name(tc_status status);

#ifdef __cplusplus
}
#endif
#endif
