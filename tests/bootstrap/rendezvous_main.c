/* A process that meets the others of its job, by its starter, and prints the result.
 *
 *     rendezvous_main [ROUNDS [TIMEOUT_MS [SILENT_RANK [HOW]]]]
 *
 * SILENT_RANK never publishes: it waits to be ended (HOW "wait", the default), ends at once
 * ("leave"), or dies ("die"). -1: no rank. */
#include "base/clock.h"
#include "bootstrap/rendezvous.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct plan {
    uint32_t rounds;
    uint64_t timeout_ns;
    int silent_rank;
    const char *how;
} plan;

static int fail(const char *what, tc_status status, const tc_error *err)
{
    printf("%s: %s: %s\n", what, tc_status_name(status), err->text);
    return 1;
}

static void be_silent(const char *how)
{
    if (strcmp(how, "die") == 0)
        raise(SIGKILL);
    if (strcmp(how, "wait") == 0)
        (void)sleep(600);
}

static int look_up_all(const tci_rendezvous_ops *ops, tci_rendezvous *rv,
                       const tci_rendezvous_self *self, uint32_t round, tci_patience *patience)
{
    tc_error err;
    int failures = 0;
    for (uint32_t rank = 0; rank < self->size; rank++) {
        uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
        char expected[64];
        size_t size;
        tc_status status = ops->lookup(rv, rank, patience, bytes, &size, &err);
        if (status != TC_OK) {
            failures += fail("lookup", status, &err);
            continue;
        }
        (void)snprintf(expected, sizeof expected, "round %u rank %u", round, rank);
        if (size != strlen(expected) || memcmp(bytes, expected, size) != 0) {
            printf("wrong: '%.*s', expected '%s'\n", (int)size, (char *)bytes, expected);
            failures++;
        }
    }
    return failures;
}

static int meet(const tci_rendezvous_ops *ops, uint32_t round, const plan *p)
{
    tci_rendezvous *rv;
    tci_rendezvous_self self;
    tc_error err;
    char own[64];
    tci_patience patience = tci_patience_until(tci_deadline_after(p->timeout_ns));
    tc_status status = ops->open(round, &patience, &rv, &self, &err);
    if (status != TC_OK)
        return fail("open", status, &err);
    if (p->silent_rank == (int)self.rank) {
        be_silent(p->how);
        ops->close(rv);
        return 0;
    }
    (void)snprintf(own, sizeof own, "round %u rank %u", round, self.rank);
    status = ops->publish(rv, own, strlen(own), &patience, &err);
    int failures = status != TC_OK ? fail("publish", status, &err)
                                   : look_up_all(ops, rv, &self, round, &patience);
    ops->close(rv);
    if (failures == 0)
        printf("%s %u of %u %s id %016llx\n", ops->name, self.rank, self.size,
               self.all_local ? "local" : "spread", (unsigned long long)self.id);
    return failures;
}

int main(int argc, char **argv)
{
    const tci_rendezvous_ops *ops;
    tc_error err;
    int failures = 0;
    plan p = {.rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 1,
              .timeout_ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 60000) * TCI_NS_PER_MS,
              .silent_rank = argc > 3 ? atoi(argv[3]) : -1,
              .how = argc > 4 ? argv[4] : "wait"};
    tc_status status = tci_rendezvous_find(getenv("TC_ENGINE_PATH"), &ops, &err);
    if (status != TC_OK)
        return fail("find", status, &err);
    if (ops == NULL) {
        puts("alone");
        return 0;
    }
    for (uint32_t round = 1; round <= p.rounds; round++)
        failures += meet(ops, round, &p);
    return failures != 0;
}
