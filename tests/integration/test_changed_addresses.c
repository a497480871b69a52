/* HELLOs with a changed worker address and a right checksum: UCX, which trusts addresses, must
 * not take the process down. ADDRESS_ROUNDS in the environment asks for more of them. */
#include "../shipped/tally.h"
#include "../support/process.h"
#include "../support/test.h"

#include "context/context_object.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <unistd.h>

#define ROUNDS 600u
#define SEED 20u
#define CHANGES_MAX 4u
#define PROGRESS_MS 2 /* of the target's, with its messages */

typedef struct bench {
    process target;
    uint16_t port;
    tc_context *ctx; /* the target with the changed address, which runs all the time */
    uint64_t random;
} bench;

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    b->random = SEED;
    process_start(&b->target, (const char *const[]){PEER, "tally", NULL}, NULL);
    (void)process_read_line(&b->target); /* its address */
    b->port = (uint16_t)process_read_number(&b->target, "port");
    assert_ok(tc_context_create(NULL, &b->ctx, NULL));
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    tc_context_destroy(b->ctx);
    process_end(&b->target);
    free(b);
    return 0;
}

/* 0..limit - 1; splitmix64 */
static size_t draw(bench *b, size_t limit)
{
    uint64_t z = b->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (size_t)((z ^ (z >> 31)) % limit);
}

/* One bit, some bytes, or the end of it. */
static tci_hello_view change(bench *b, uint8_t *address, size_t size)
{
    switch (draw(b, 3)) {
    case 0:
        address[draw(b, size)] ^= (uint8_t)(1u << draw(b, 8));
        break;
    case 1:
        for (size_t n = 1 + draw(b, CHANGES_MAX); n > 0; n--)
            address[draw(b, size)] = (uint8_t)draw(b, 256);
        break;
    default:
        size = 1 + draw(b, size - 1);
        break;
    }
    return (tci_hello_view){(const char *)address, size};
}

static size_t make_hello(bench *b, uint8_t message[TCI_HELLO_MESSAGE_MAX])
{
    uint8_t address[TCI_HELLO_WORKER_ADDRESS_MAX];
    size_t size;
    tci_hello hello = b->ctx->core.self;
    memcpy(address, hello.worker_address.data, hello.worker_address.size);
    hello.worker_address = change(b, address, hello.worker_address.size);
    hello.ring_bytes = 4096;
    hello.frame_bytes_max = 1024;
    hello.segment = TCI_SEGMENT_NONE;
    assert_ok(
        tci_hello_encode(&hello, TCI_HELLO_HELLO, message, TCI_HELLO_MESSAGE_MAX, &size, NULL));
    return size;
}

/* False: it was hung up on without an answer. */
static bool is_answered(const bench *b, const uint8_t *message, size_t size)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(b->port),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    uint8_t answer[TCI_HELLO_MESSAGE_MAX];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct pollfd reading = {.fd = fd, .events = POLLIN};
    assert_int_equal(connect(fd, (const struct sockaddr *)(const void *)&to, sizeof to), 0);
    assert_int_equal(send(fd, message, size, MSG_NOSIGNAL), (ssize_t)size);
    assert_int_equal(poll(&reading, 1, (int)(PROCESS_DEADLINE_NS / 1000000)), 1);
    bool answered = recv(fd, answer, sizeof answer, 0) > 0;
    if (answered)
        (void)poll(&reading, 1, PROGRESS_MS);
    (void)close(fd);
    return answered;
}

static void send_changed_addresses(bench *b)
{
    uint8_t message[TCI_HELLO_MESSAGE_MAX];
    const char *asked = getenv("ADDRESS_ROUNDS");
    unsigned long rounds = asked != NULL ? strtoul(asked, NULL, 10) : ROUNDS;
    for (unsigned long i = 0; i < rounds; i++) {
        size_t size = make_hello(b, message);
        if (!is_answered(b, message, size))
            fail_msg("round %lu: the target hung up", i);
    }
}

TEST_WITH(changed_addresses_end_nobody, setup, teardown)
{
    bench *b = *state;
    char host_port[32];
    tc_ep *ep;
    tc_ifunc *fn;
    const tally_message message = {1, 0};
    send_changed_addresses(b);
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u", b->port);
    assert_ok(tc_ep_connect(b->ctx, host_port, PROCESS_DEADLINE_NS, &ep, NULL));
    assert_ok(tc_ifunc_open(b->ctx, "tally", &fn, NULL));
    assert_ok(tc_send(ep, fn, &message, sizeof message));
    assert_ok(tc_ep_flush(ep, PROCESS_DEADLINE_NS, NULL));
}
