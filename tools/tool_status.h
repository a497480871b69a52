/* Exit statuses of the programs; tchains(7) has the table for their users. */
#ifndef TOOL_STATUS_H
#define TOOL_STATUS_H

#include <tc/status.h>

enum {
    TOOL_OK = 0,
    TOOL_FAILED = 1,  /* a file, or any other failure without a number of its own */
    TOOL_USAGE = 2,   /* wrong arguments */
    TOOL_NO_PEER = 3, /* no peer listens, it does not answer in time, or it was lost */
    TOOL_REFUSED = 4  /* the peer does not run the function, or does not take this process */
};

/* Returns the exit status for a program that ends because of `status`. */
int tool_status_of(tc_status status);

#endif
