/* An active message under way, and its units: records of am_units, which am_staged continues
 * for segments that go through attached memory. */
#ifndef TCA_AM_MESSAGE_H
#define TCA_AM_MESSAGE_H

#include "am_state.h"

typedef struct tca_unit {
    struct tca_unit *next; /* of the free ones */
    struct tca_message *message;
    uint32_t segments;
    uint32_t first;
    uint64_t charge;
    void *packed; /* the output, if the caller's layout has gaps */
} tca_unit;

typedef struct tca_message {
    struct tca_message *next; /* of the queue, or of the free ones */
    tc_am_window *window;
    tc_am_op *op;
    tc_am_request *request;
    tca_plan plan;
    uint32_t rank;
    uint32_t sent;      /* segments */
    uint32_t succeeded; /* segments */
    uint32_t units;     /* under way */
    uint32_t overtaken;
    bool is_queued;
    bool is_staging; /* its next segment is on its way to attached memory */
    bool *has_ended; /* of tca_units_start, while that runs */
    tc_status status;
    char text[TC_AM_TEXT_MAX];
} tca_message;

/* Notes the first failure. */
void tca_message_fail(tca_message *m, tc_status status, const char *text);

/* Sends whatever the queue of a rank has credit for. */
void tca_message_pump(tc_ams *ams, uint32_t rank);

/* Ends it, if it waits for nothing any more and is not in the queue. */
void tca_message_end_if_over(tca_message *m);

#endif
