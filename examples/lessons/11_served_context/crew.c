/* Four threads ask one target, by one endpoint of one context, which serves itself. crew
 *     HOST:PORT BELOW */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tc/thread.h>
#include <tc/tc.h>

#define THREADS 4

extern const tc_embedded divisors_tca;

typedef struct crew {
    tc_context *ctx;
    tc_ep *ep;
    tc_ifunc *divisors;
    uint32_t below;
    atomic_uint next;   /* the next number to ask for */
    atomic_uint primes; /* numbers with two divisors */
    atomic_bool failed;
} crew;

/* The lock is held for the call, and by others while the call waits for its answer. */
static tc_status ask(crew *c, uint32_t number, uint32_t *count_out, tc_error *err)
{
    size_t size = sizeof *count_out;
    tc_status status = tc_context_lock(c->ctx, TC_SECONDS(10), err);
    if (status != TC_OK)
        return status;
    status = tc_call(c->ep, c->divisors, &number, sizeof number, count_out, &size,
                     TC_SECONDS(10), err);
    tc_context_unlock(c->ctx);
    return status;
}

static void *work(void *arg)
{
    crew *c = arg;
    tc_error err;
    uint32_t number, count;
    while (!c->failed && (number = c->next++) < c->below) {
        if (ask(c, number, &count, &err) != TC_OK) {
            fprintf(stderr, "crew: %u: %s\n", number, err.text);
            c->failed = true;
        } else if (count == 2) {
            c->primes++;
        }
    }
    return NULL;
}

static void run_crew(crew *c)
{
    pthread_t threads[THREADS];
    int started = 0;
    while (started < THREADS && pthread_create(&threads[started], NULL, work, c) == 0)
        started++;
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

/* Before other threads exist, the lock is not needed. */
static tc_status open_crew(crew *c, const char *host_port, tc_error *err)
{
    tc_status status = tc_context_create(NULL, &c->ctx, err);
    if (status == TC_OK)
        status = tc_ep_connect(c->ctx, host_port, 0, &c->ep, err);
    if (status == TC_OK)
        status = tc_ifunc_open_embedded(c->ctx, &divisors_tca, &c->divisors, err);
    if (status == TC_OK)
        status = tc_context_start_thread(c->ctx, NULL, err);
    return status;
}

int main(int argc, char **argv)
{
    static crew c;
    tc_error err;
    if (argc != 3) {
        fprintf(stderr, "usage: crew HOST:PORT BELOW\n");
        return 2;
    }
    c.below = (uint32_t)strtoul(argv[2], NULL, 10);
    if (open_crew(&c, argv[1], &err) != TC_OK) {
        fprintf(stderr, "crew: %s\n", err.text);
        c.failed = true;
    } else {
        run_crew(&c);
        printf("%u prime numbers below %u\n", c.primes, c.below);
    }
    tc_context_destroy(c.ctx); /* ends its thread, too */
    return c.failed;
}
