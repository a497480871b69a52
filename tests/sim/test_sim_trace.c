/* The trace of a world: its lines, notes, and the version that its seeds belong to. */
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/sim.h>

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT 7000
#define SECOND_NS 1000000000ull
/* The hash of the world below is that of TC_SIM_VERSION 3 to 5, as it has no UCX. Where it
 * differs, the same seed stands for another run now: raise TC_SIM_VERSION, and put the new hash
 * here. */
#define HASH_OF_VERSION 0x614edcd21c75b378ull

static struct sockaddr_in address_of_server(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    assert_int_equal(inet_pton(AF_INET, "10.0.0.1", &address.sin_addr), 1);
    return address;
}

static void await(int descriptor, short events)
{
    struct pollfd one = {.fd = descriptor, .events = events};
    assert_int_equal(poll(&one, 1, 1000), 1);
}

/* Sends back the bytes of one connection. */
static void echo(tc_sim_node *node, void *argument)
{
    const struct sockaddr_in address = address_of_server();
    uint8_t bytes[512];
    ssize_t size;
    (void)node, (void)argument;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(listener, (const void *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 4), 0);
    await(listener, POLLIN);
    const int peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    assert_true(peer >= 0);
    do {
        await(peer, POLLIN);
        size = recv(peer, bytes, sizeof bytes, 0);
        if (size > 0)
            assert_int_equal(send(peer, bytes, (size_t)size, MSG_NOSIGNAL), size);
    } while (size > 0);
    close(peer);
    close(listener);
}

static void ask(tc_sim_node *node, void *argument)
{
    const struct sockaddr_in address = address_of_server();
    uint8_t bytes[512] = {0};
    (void)node, (void)argument;
    tc_sim_sleep(100000);
    const int peer = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    (void)connect(peer, (const void *)&address, sizeof address);
    await(peer, POLLOUT);
    for (unsigned i = 0; i < 20; i++) {
        const size_t size = 1 + tc_sim_random(tc_sim_node_world(node)) % sizeof bytes;
        size_t got = 0;
        tc_sim_note("sends %u, %zu bytes", i, size);
        assert_int_equal(send(peer, bytes, size, MSG_NOSIGNAL), size);
        while (got < size) {
            await(peer, POLLIN);
            got += (size_t)recv(peer, bytes, sizeof bytes, 0);
        }
        tc_sim_note("runs %u", i);
    }
    close(peer);
}

static unsigned arrivals, notes, begins;

static void count_lines(void *user, const char *line)
{
    (void)user;
    arrivals += strstr(line, "arrives") != NULL && strstr(line, "node 0 to node 1: ") != NULL;
    notes += strstr(line, "node 1    notes     sends 3, ") != NULL;
    begins += strstr(line, "node 1 on host 2") != NULL;
}

static uint64_t run_world(void (*trace)(void *user, const char *line))
{
    tc_sim_world *world;
    tc_sim_node *server, *client;
    tc_error error = {0};
    const tc_sim_params params = {.seed = 1, .interrupt_per_million = 100000, .trace = trace};
    must(tc_sim_world_create(&params, &world, &error), &error, "world");
    must(tc_sim_node_create(world, 1, echo, NULL, &server, &error), &error, "server");
    must(tc_sim_node_create(world, 2, ask, NULL, &client, &error), &error, "client");
    must(tc_sim_run_until(world, 10 * SECOND_NS, &error), &error, "run");
    assert_false(tc_sim_node_is_running(client));
    const uint64_t hash = tc_sim_hash(world);
    tc_sim_world_destroy(world);
    return hash;
}

static void a_version_has_its_hash(void **state)
{
    (void)state;
    const uint64_t hash = run_world(NULL);
    if (hash != HASH_OF_VERSION)
        fail_msg("the hash is %016" PRIx64 ", that of version %u is %016llx: raise "
                 "TC_SIM_VERSION",
                 hash, TC_SIM_VERSION, HASH_OF_VERSION);
}

static void lines_name_nodes_and_do_not_change_the_hash(void **state)
{
    (void)state;
    assert_true(run_world(count_lines) == run_world(NULL));
    assert_in_range(arrivals, 20, 60);
    assert_int_equal(notes, 1);
    assert_int_equal(begins, 1);
    tc_sim_note("outside of a world: %d", 1);
}

static void a_seed_has_the_version(void **state)
{
    char text[TC_SIM_SEED_BYTES], other[TC_SIM_SEED_BYTES];
    uint64_t seed = 0;
    tc_error error = {0};
    (void)state;
    must(tc_sim_seed_parse(tc_sim_seed_text(UINT64_MAX, text), &seed, &error), &error, "seed");
    assert_true(seed == UINT64_MAX);
    must(tc_sim_seed_parse("12", &seed, &error), &error, "a number");
    assert_int_equal(seed, 12);
    (void)snprintf(other, sizeof other, "%u:7", TC_SIM_VERSION + 1);
    assert_int_equal(tc_sim_seed_parse(other, &seed, &error), TC_E_VERSION);
    assert_non_null(strstr(error.text, other));
    (void)snprintf(other, sizeof other, "version %u,", TC_SIM_VERSION);
    assert_non_null(strstr(error.text, other));
    assert_int_equal(seed, 12);
    static const char *const wrong[] = {"",
                                        ":",
                                        "1:",
                                        ":1",
                                        "x",
                                        "1:x",
                                        "-1",
                                        "1:-1",
                                        "1:2:3",
                                        "+1",
                                        " 1",
                                        "0x10",
                                        "18446744073709551616"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(tc_sim_seed_parse(wrong[i], &seed, &error), TC_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_has_its_hash),
        cmocka_unit_test(lines_name_nodes_and_do_not_change_the_hash),
        cmocka_unit_test(a_seed_has_the_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
