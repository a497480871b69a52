/* A counter at a server, and clients that add to it: the program to test. Nothing here knows
 * that it may run in a simulated world. */
#include <stdint.h>
#include <tc/tc.h>

#define CLIENTS 2
#define ADDITIONS 20

typedef struct addition {
    uint32_t client, number; /* of the client's additions, from 1 */
} addition;

typedef struct counter {
    uint32_t value;
    uint32_t last[CLIENTS]; /* number of each client's last addition */
} counter;

/* Functions that clients send. */
void add_main(void *payload, size_t size, void *target_args);
void add_once_main(void *payload, size_t size, void *target_args);

/* Serves until *done. Returns what the counter shows then. */
uint32_t server_run(const char *listen_at, const volatile int *done);
/* Adds 1 as often as ADDITIONS, by the function `embedded`. Returns how often it succeeded. */
uint32_t client_run(const char *server, uint32_t client, const tc_embedded *embedded);
tc_context *context_open(void);
