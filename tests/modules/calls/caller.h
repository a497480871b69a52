/* A pair of nodes of which the near one calls, and answers that the test makes up. */
#ifndef TC_TEST_CALLER_H
#define TC_TEST_CALLER_H

#include "../../support/fake_node.h"
#include "heard.h"

typedef struct caller {
    fake_pair pair;
    tc_ifunc *fn; /* does nothing */
    tci_core *core;
} caller;

caller caller_make(void);

/* Defines a test of one; its nodes are destroyed behind it. */
#define CALLER_TEST(name) TEST_BY(caller_run, name, caller *c)
void caller_run(void (*test)(caller *c));

/* The body of fn. */
void caller_nothing(void *payload, size_t size, void *target_args);

/* Starts a call with an answer, of 64 bytes at most, that goes to *h. */
tc_call_id caller_start(tc_ep *ep, tc_ifunc *fn, heard *h, uint64_t timeout_ns);

/* The endpoint that the calls of c were sent to. */
tci_answerer caller_asked(const caller *c);

/* Gives the calls of c a whole answer by that. */
void caller_answer(const caller *c, tc_call_id id, const char *text);

#endif
