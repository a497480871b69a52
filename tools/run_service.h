/* tc-run's side of the rendezvous: keeps the data that its processes publish, and answers
 * lookups. The bytes are those of runtime/bootstrap/run_protocol.h.
 *
 * The socket has an abstract name chosen by the kernel, so nothing is left behind. A peer that
 * belongs to another user, lacks the secret, or sends a malformed request is disconnected. The
 * number of connections is bounded, and one that has not shown the secret is closed for the
 * next. */
#ifndef RUN_SERVICE_H
#define RUN_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#define RUN_SERVICE_NAME_MAX 128
#define RUN_SERVICE_SECRET_MAX 40

typedef struct run_service run_service;

/* For `size` processes. Returns NULL after printing the reason on standard error. */
run_service *run_service_open(uint32_t size);
void run_service_close(run_service *service);

/* For the processes' environment. */
const char *run_service_name(const run_service *service);
const char *run_service_secret(const run_service *service);

/* Returns a descriptor that is readable when run_service_serve has something to do. */
int run_service_fd(const run_service *service);
/* Never blocks. */
void run_service_serve(run_service *service);

/* Returns whether the process of that rank only serves others, by its own report. */
bool run_service_member_serves(const run_service *service, uint32_t rank);

/* Records that the process of that rank has ended ("ended with status 1"), and notifies the
 * processes that wait for it. */
void run_service_member_ended(run_service *service, uint32_t rank, const char *how);

#endif
