/* The arguments of a call's callback, kept for the test. */
#ifndef TC_TEST_HEARD_H
#define TC_TEST_HEARD_H

#include <stdint.h>
#include <tc/call.h>

typedef struct heard {
    unsigned count; /* of calls of the callback */
    tc_status status;
    size_t result_size;
    uint32_t hops, rank;
    uint32_t path[8];
    size_t path_length;
    char text[256];
    uint8_t result[8192];
} heard;

/* Options of a call with the answer to *h; tests change the fields that they test. */
tc_call_params heard_params(heard *h);
/* Their callback; the user is the heard. */
void heard_done(void *user, const tc_call_outcome *outcome);

/* Fails the test unless the callback was called once, with that and a text that holds this. */
void heard_expect(const heard *h, tc_status status, const char *text);

#endif
