/* A context of the library with a few of its options, and common operations of processes with
 * one. Functions that return false have printed the error. */
#ifndef TC_PERF_CONTEXT_H
#define TC_PERF_CONTEXT_H

#include "perf_session.h"

#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>

typedef struct perf_setting {
    const char *option;
    const char *value; /* NULL: the library's own choice, or the environment's */
} perf_setting;

tc_status perf_context_create(const perf_setting *settings, size_t count,
                              tc_context **context_out, tc_error *err);

/* Always false. */
bool perf_context_complain(perf_session *session, const char *what, const tc_error *err);

/* On loopback, at any port. */
bool perf_context_listen(perf_session *session, tc_context *context,
                         tc_listener **listener_out);
bool perf_context_connect(perf_session *session, tc_context *context, unsigned port,
                          tc_ep **ep_out);
/* Returns the delivery that the endpoint uses; info_out may be NULL. */
void perf_context_delivery(const tc_ep *ep, char delivery_out[16], tc_ep_info *info_out);

/* Bytes of one payload that can lie in memory shared with a peer on this host; 0: no such
 * memory. */
size_t perf_context_staged_max(void);

/* An ifunc's archive as bytes, NAME.tca from the first of the folders ("a:b") that has it; 0:
 * not found. */
size_t perf_context_read_archive(const char *folders, const char *name, void *bytes,
                                 size_t capacity);
/* A function that is like that of the archive but not the same, for each number another one: a
 * comment in the list of libraries makes the same code another function. */
tc_status perf_context_open_new(tc_context *context, const void *archive, size_t size,
                                unsigned number, tc_ifunc **fn_out, tc_error *err);

#endif
