/* A context of a program that asks a node and ends: it needs no time to close, and signals end
 * its waits. */
#ifndef CLIENT_CONTEXT_H
#define CLIENT_CONTEXT_H

#include <stdbool.h>
#include <tc/context.h>

/* Creates a context with close_timeout 0. Flushed data needs no time to close, and data that
 * was not flushed in time gets no more. Statuses of tc_context_create. */
tc_status client_context_create(tc_context **ctx_out, tc_error *err);

/* Has SIGINT and SIGTERM end the waits of `ctx`; one context at a time. */
void client_context_catch_signals(tc_context *ctx);
/* Gives both signals their default action again, before the context is destroyed. */
void client_context_release_signals(void);
/* Returns whether one of them came. */
bool client_context_is_over(void);

#endif
