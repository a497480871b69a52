/* tc-run's side of the rendezvous: keeps what its processes publish, answers who asks. The
 * bytes are those of runtime/bootstrap/run_protocol.h.
 *
 * The socket has an abstract name that the kernel draws, so nothing is left behind. Whoever is
 * of another user, lacks the secret, or says what is no request, is hung up on; the number of
 * connections is bounded, and one that has not shown the secret makes room for the next. */
#ifndef RUN_SERVICE_H
#define RUN_SERVICE_H

#include <stdint.h>

#define RUN_SERVICE_NAME_MAX 128
#define RUN_SERVICE_SECRET_MAX 40

typedef struct run_service run_service;

/* For `size` processes. NULL: says why on standard error. */
run_service *run_service_open(uint32_t size);
void run_service_close(run_service *service);

/* For the processes' environment. */
const char *run_service_name(const run_service *service);
const char *run_service_secret(const run_service *service);

/* Readable when run_service_serve has something to do. */
int run_service_fd(const run_service *service);
/* Never blocks. */
void run_service_serve(run_service *service);

/* That rank's process is no more ("ended with status 1"): who waits for it is told. */
void run_service_member_ended(run_service *service, uint32_t rank, const char *how);

#endif
