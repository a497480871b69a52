/* A client of the service: records samples, asks for summaries, and sends a filter of its own;
 * and compares the answers with those of a plain program. */
#ifndef SERIES_CLIENT_H
#define SERIES_CLIENT_H

#include "series_arrays.h"

#include <pthread.h>
#include <tc/call.h>
#include <tc/package.h>

#define CLIENT_SENSORS 32u /* of its own, so that it knows their contents */

typedef struct series_client {
    const char *target;
    const char *package; /* a path */
    uint32_t number;
    uint64_t requests; /* how many to make */
    series_array plain[SERIES_SENSORS];
    uint64_t answered;
    uint64_t wrong;   /* answers that are not the plain program's, or came as failures */
    uint64_t changes; /* how often one came of another version than the one before */
    uint32_t version; /* of the last one */
    tc_error error;   /* the first that went wrong */
    pthread_t thread;
} series_client;

/* The thread; its argument is a series_client. */
void *series_client_run(void *client);

void series_client_free(series_client *client);

#endif
