/* The one status type of the library, and the text that goes with it.
 *
 * Every fallible function returns a tc_status; outputs are written only on TC_OK. Functions
 * that judge bytes from outside (archives, hellos, code) also fill a tc_error, whose text says
 * what was found and what was expected. Programmer errors (a null handle) are asserted; bytes
 * from outside never are. */
#ifndef TC_STATUS_H
#define TC_STATUS_H

#include <stddef.h>

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

/* Values are stable: they travel in control messages. Append only. */
typedef enum tc_status {
    TC_OK = 0,
    TC_E_AGAIN = -1,   /* no credit or a full queue now; call tc_progress and try again */
    TC_E_TIMEOUT = -2, /* the deadline passed first */
    TC_E_INVALID = -3, /* an argument or option outside its documented range */
    TC_E_NO_MEMORY = -4,
    TC_E_NOT_FOUND = -5, /* file, ifunc name, option or symbol does not exist */
    TC_E_TOO_LARGE = -6, /* above a documented limit; the text names the limit */
    TC_E_CORRUPT = -7,   /* bytes from outside that break their format or their content id */
    TC_E_VERSION =
        -8, /* protocol, UCX, archive or LLVM version of the other side; both in text */
    TC_E_NO_SLICE = -9,     /* an archive without code for this architecture; both in text */
    TC_E_UNRESOLVED = -10,  /* code needs symbols that this process lacks; all named in text */
    TC_E_NO_LIBRARY = -11,  /* a library of the .deps list could not be loaded */
    TC_E_COMPILE = -12,     /* LLVM refused the code; its diagnostics are in text */
    TC_E_REFUSED = -13,     /* the peer refused this connection or this function */
    TC_E_UNREACHABLE = -14, /* no peer listens there, or no route */
    TC_E_PEER_LOST =
        -15,           /* the peer died or broke the protocol; the endpoint is of no more use */
    TC_E_IN_USE = -16, /* the port, name or slot is taken */
    TC_E_IO = -17,     /* the operating system said no; errno's text is in text */
    TC_E_UCX = -18,    /* UCX said no; its text is in text */
    TC_E_UNSUPPORTED = -19, /* valid, but not by this build or this machine */
    TC_E_PAYLOAD = -20,     /* NAME_payload_init returned non-zero */
    TC_E_CLOSED = -21,      /* the endpoint was closed by this side or, in order, by the peer */
    TC_E_BUSY = -22,        /* not from inside an ifunc */
    TC_E_HOPS = -23         /* a message was sent on more often than its limit allows */
} tc_status;

#define TC_ERROR_TEXT_MAX 1024

/* Filled by the callee only when it fails. Plain memory owned by the caller; may be reused. */
typedef struct tc_error {
    tc_status status;
    char text[TC_ERROR_TEXT_MAX]; /* one line, lower case, always terminated */
} tc_error;

/* A short constant text, "no credit, try again"; never NULL, also for unknown values. */
TC_API const char *tc_status_text(tc_status status);

/* The name as written above, "TC_E_AGAIN"; never NULL. */
TC_API const char *tc_status_name(tc_status status);

#ifdef __cplusplus
}
#endif
#endif
