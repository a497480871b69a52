/* Two contexts in one process, a source in the test's thread and a target in a thread of its
 * own, joined by an endpoint. How they talk comes from the environment (TC_DELIVERY, UCX_TLS),
 * so one suite serves every delivery. */
#ifndef PAIR_H
#define PAIR_H

#include "../shipped/check.h"
#include "server.h"

#include <tc/endpoint.h>
#include <tc/ifunc.h>

#define PAIR_TIMEOUT_NS 60000000000ull

typedef struct pair {
    tc_context *source;
    tc_context *target;
    tc_listener *listener;
    tc_ep *ep; /* source's end */
    check_state source_state;
    check_state target_state; /* read it after pair_flush: the flush orders it */
    server server;            /* of the target */
    char host_port[32];
} pair;

/* option/value pairs for both contexts, ended by NULL. */
void pair_open(pair *p, const char *const *options);
/* Options of their own for each. */
void pair_open_as(pair *p, const char *const *source_options,
                  const char *const *target_options);
void pair_close(pair *p);

/* Defines a test of a pair p without options, which is closed behind it. */
#define PAIR_TEST(name) TEST_BY(pair_run, name, pair *p)
void pair_run(void (*test)(pair *p));

/* Another endpoint from source to target. */
tc_ep *pair_connect(pair *p);

/* An ifunc of tests/shipped, opened at the source. */
tc_ifunc *pair_ifunc(pair *p, const char *name);
/* The same by the name of its file. */
tc_ifunc *pair_ifunc_file(pair *p, const char *name);

/* The function of that number among those of tests/shipped/crowd.c, from 1 on. */
tc_ifunc *pair_crowd_member(pair *p, int number);

/* A library that loads no code has each function of these tests from the process itself:
 * tests/modules/local_functions.c has both of these for it, and takes precedence. */
/* Gives both contexts the code of a function that the source has opened. By default nothing is
 * done: the target takes it from messages. */
void pair_provide(pair *p, tc_ifunc *fn, const char *name);
/* Checks why the target has refused the function `unbound`. */
void pair_check_unbound(const tc_error *refusal);

/* tc_send that progresses while there is no space. */
tc_status pair_send(tc_ep *ep, tc_ifunc *fn, const void *payload, size_t size);
/* Sends message n of the check ifunc so. */
void pair_send_check(tc_ep *ep, tc_ifunc *fn, uint64_t n, size_t size);
void pair_flush(tc_ep *ep);

/* The target stops progressing, until pair_resume. */
void pair_pause(pair *p);
void pair_resume(pair *p);

/* Returns a counter of the target, by its name, while the target pauses. */
uint64_t pair_counter(pair *p, const char *name);

#endif
