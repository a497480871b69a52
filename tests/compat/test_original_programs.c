/* The original's own programs in short, by functions that were made as its Makefile makes them:
 * a functional test with a client that checks no status, and a walk over pointers of one server
 * and of two. Memory is filled with a pattern first, and polled until a message was run. */
#include "../support/test.h"
#include "compat_node.h"

#include "base/clock.h"
#include "ifuncs/seek.h"

#include <errno.h>
#include <openssl/sha.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#define FOLDER "UCX_IFUNC_LIB_DIR"
#define SLOT 4096u /* behind the unused part */
#define SLOT_BYTES (1u << 20)
#define PATTERN_CLIENT 0x11
#define PATTERN_SERVER 0x2a
#define DEADLINE_NS 100000000000ull /* only ends processes that hang */

static void open_filled(compat_node *node, int pattern)
{
    compat_node_open(node, SLOT + SLOT_BYTES);
    memset(node->memory, pattern, SLOT + SLOT_BYTES);
}

/* As programs of the original's poll: until a message was run, or was refused. */
static ucs_status_t poll_on(compat_node *node, void *target_args)
{
    const uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    ucs_status_t status;
    do {
        status = ucp_poll_ifunc(node->context, node->memory + SLOT, SLOT_BYTES, target_args,
                                node->worker);
        if (status == UCS_ERR_NO_MESSAGE)
            sched_yield();
        REQUIRE(tci_clock_ns() < deadline_ns);
    } while (status != UCS_OK && status != UCS_ERR_CANCELED);
    (void)ucp_worker_progress(node->worker); /* as theirs, once */
    return status;
}

/* Progresses meanwhile: UCX over tcp answers the other side's flush by that alone. */
static void meet_other(compat_node *node, int fd)
{
    const uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    char byte = 42;
    ssize_t got;
    REQUIRE(send(fd, &byte, 1, MSG_NOSIGNAL) == 1);
    while ((got = recv(fd, &byte, 1, MSG_DONTWAIT)) < 0) {
        REQUIRE(errno == EAGAIN || errno == EINTR);
        if (ucp_worker_progress(node->worker) == 0)
            sched_yield();
        REQUIRE(tci_clock_ns() < deadline_ns);
    }
    REQUIRE(got == 1);
}

static void use_folder(const char *name)
{
    char path[4096];
    REQUIRE(getenv("TEST_COMPAT_FOLDER") != NULL);
    (void)snprintf(path, sizeof path, "%s/%s", getenv("TEST_COMPAT_FOLDER"), name);
    REQUIRE(setenv(FOLDER, path, 1) == 0);
}

/* --- the functional test ------------------------------------------------------------------ */

static char text[50000];

/* Registers, makes, sends, flushes and frees, and looks at no status. */
static void send_blindly(compat_node *node, compat_link *link, const char *name)
{
    ucp_ifunc_reg_param_t param = {.name = (char *)(uintptr_t)name, .llvm_bc = 1};
    ucp_ifunc_h ifunc = NULL;
    ucp_ifunc_msg_t msg;
    (void)ucp_register_ifunc(node->context, param, &ifunc);
    (void)ucp_ifunc_msg_create(ifunc, text, sizeof text, &msg);
    (void)ucp_ifunc_send_nbix(link->ep, msg, link->remote + SLOT, link->rkey);
    compat_node_flush(node, link);
    (void)ucp_ifunc_msg_free(msg);
    if (ifunc != NULL)
        (void)ucp_deregister_ifunc(node->context, ifunc);
    meet_other(node, link->fd);
}

static const char *const unregistered[] = {"unheard", "nobody", "../parcel"};

static void functional_client(int fd, void *user)
{
    compat_node node;
    (void)user;
    open_filled(&node, PATTERN_CLIENT);
    compat_link *link = compat_node_link(&node, fd);
    send_blindly(&node, link, "parcel");
    for (size_t i = 0; i < sizeof unregistered / sizeof unregistered[0]; i++)
        send_blindly(&node, link, unregistered[i]);
    send_blindly(&node, link, "parcel");
    compat_node_close(&node);
}

static void expect_parcel(compat_node *node)
{
    struct {
        size_t size;
        unsigned char digest[SHA256_DIGEST_LENGTH];
    } result = {0};
    unsigned char expected[SHA256_DIGEST_LENGTH];
    (void)SHA256((const unsigned char *)text, sizeof text, expected);
    assert_int_equal(poll_on(node, &result), UCS_OK);
    assert_int_equal(result.size, sizeof text);
    assert_memory_equal(result.digest, expected, sizeof expected);
    meet_other(node, node->links[0].fd);
}

/* A client that could not register its function ends its server's poll all the same. */
TEST(functional)
{
    compat_node node;
    use_folder("recipe");
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i / 100);
    compat_child child = compat_fork(functional_client, NULL);
    open_filled(&node, PATTERN_SERVER);
    compat_link *link = compat_node_link(&node, child.fd);
    expect_parcel(&node);
    for (size_t i = 0; i < sizeof unregistered / sizeof unregistered[0]; i++) {
        assert_int_equal(poll_on(&node, NULL), UCS_ERR_CANCELED);
        assert_int_equal(
            ucp_poll_ifunc(node.context, node.memory + SLOT, SLOT_BYTES, NULL, node.worker),
            UCS_ERR_NO_MESSAGE);
        meet_other(&node, link->fd);
    }
    expect_parcel(&node);
    compat_node_close(&node);
    assert_true(compat_wait(&child));
}

/* --- the walk ----------------------------------------------------------------------------- */

typedef struct walk {
    bool bitcode;
    unsigned servers;
    unsigned number; /* of this server, from 1 */
    int other_fd;    /* of the other server, or -1 */
} walk;

static void flush_peer(seek_place *place, unsigned peer)
{
    compat_node *node = place->node;
    for (unsigned i = 0; i < node->link_count; i++) {
        if (node->links[i].ep == place->eps[peer])
            compat_node_flush(node, &node->links[i]);
    }
}

static void know(seek_place *place, unsigned peer, const compat_link *link)
{
    place->eps[peer] = link->ep;
    place->rkeys[peer] = link->rkey;
    place->slots[peer] = link->remote + SLOT;
}

static void walk_server(int fd, void *user)
{
    const walk *w = user;
    compat_node node;
    uint64_t words[SEEK_SHARD_WORDS], nothing = 787;
    const seek_args args = {787, 787};
    seek_place place = {.shard = w->number - 1,
                        .shard_count = w->servers,
                        .words = words,
                        .flush = flush_peer,
                        .node = &node};
    open_filled(&node, PATTERN_SERVER);
    for (uint64_t i = 0; i < SEEK_SHARD_WORDS; i++)
        words[i] = seek_word(place.shard * SEEK_SHARD_WORDS + i, w->servers);
    know(&place, 0, compat_node_link(&node, fd));
    if (w->other_fd >= 0)
        know(&place, 3 - w->number, compat_node_link(&node, w->other_fd));
    ucp_ifunc_h seek = compat_node_register(&node, "seek", w->bitcode);
    ucp_ifunc_h found = compat_node_register(&node, "found", w->bitcode);
    place.seek = compat_message(seek, &args, sizeof args);
    place.found = compat_message(found, &nothing, sizeof nothing);
    meet_other(&node, fd);
    while (!place.stopped)
        REQUIRE(poll_on(&node, &place) == UCS_OK);
    meet_other(&node, fd);
    REQUIRE(place.failed == 0);
    REQUIRE(ucp_ifunc_msg_free(place.seek) == UCS_OK);
    REQUIRE(ucp_ifunc_msg_free(place.found) == UCS_OK);
    REQUIRE(ucp_deregister_ifunc(node.context, seek) == UCS_OK);
    REQUIRE(ucp_deregister_ifunc(node.context, found) == UCS_OK);
    compat_node_close(&node);
}

static uint64_t expected_word(uint64_t at, uint64_t depth, unsigned servers)
{
    while (depth-- > 0)
        at = seek_word(at, servers);
    return at;
}

/* WALK_DEPTH=4096 is the original's. */
static uint64_t greatest_depth(void)
{
    const char *depth = getenv("WALK_DEPTH");
    return depth != NULL ? strtoull(depth, NULL, 10) : 64;
}

/* One message is made, and filled in again for each walk. */
static void seek_all(compat_node *node, compat_link *first, const walk *w)
{
    seek_args args = {0, 0};
    void *payload;
    size_t size;
    ucp_ifunc_h seek = compat_node_register(node, "seek", w->bitcode);
    ucp_ifunc_msg_t msg = compat_message(seek, &args, sizeof args);
    assert_int_equal(ucp_ifunc_msg_get_payload_ptr(&msg, &payload, &size), UCS_OK);
    assert_int_equal(size, sizeof args);
    for (uint64_t depth = 1; depth <= greatest_depth(); depth *= 4) {
        for (uint64_t at = 0; at < 20; at++) {
            uint64_t result = 747;
            *(seek_args *)payload = (seek_args){depth, at};
            compat_node_send(node, first, &msg, SLOT);
            compat_node_flush(node, first);
            assert_int_equal(poll_on(node, &result), UCS_OK);
            assert_int_equal(result, expected_word(at, depth, w->servers));
        }
    }
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    assert_int_equal(ucp_deregister_ifunc(node->context, seek), UCS_OK);
}

static void run_walk(bool bitcode, unsigned servers)
{
    compat_node node;
    compat_child children[2];
    compat_link *links[2];
    int fds[2] = {-1, -1};
    walk w[2] = {{bitcode, servers, 1, -1}, {bitcode, servers, 2, -1}};
    use_folder(bitcode ? "recipe" : "library");
    if (servers == 2)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    for (unsigned i = 0; i < servers; i++) {
        w[i].other_fd = fds[i];
        children[i] = compat_fork(walk_server, &w[i]);
    }
    if (servers == 2) {
        (void)close(fds[0]);
        (void)close(fds[1]);
    }
    open_filled(&node, PATTERN_CLIENT);
    for (unsigned i = 0; i < servers; i++)
        links[i] = compat_node_link(&node, children[i].fd);
    ucp_ifunc_h halt = compat_node_register(&node, "halt", bitcode);
    ucp_ifunc_msg_t end = compat_message(halt, NULL, sizeof(void *));
    for (unsigned i = 0; i < servers; i++)
        meet_other(&node, children[i].fd);
    seek_all(&node, links[0], &w[0]);
    for (unsigned i = 0; i < servers; i++) {
        compat_node_send(&node, links[i], &end, SLOT);
        compat_node_flush(&node, links[i]);
        meet_other(&node, children[i].fd);
    }
    assert_int_equal(ucp_ifunc_msg_free(end), UCS_OK);
    assert_int_equal(ucp_deregister_ifunc(node.context, halt), UCS_OK);
    compat_node_close(&node);
    for (unsigned i = 0; i < servers; i++)
        assert_true(compat_wait(&children[i]));
}

TEST(walk_of_one_server)
{
    run_walk(true, 1);
    run_walk(false, 1);
}

TEST(walk_of_two_servers)
{
    run_walk(true, 2);
    run_walk(false, 2);
}
