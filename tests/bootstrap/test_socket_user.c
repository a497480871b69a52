#include "bootstrap/socket_user.h"
#include "../support/test.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER_USER 12345

/* Both ends of a connection over loopback, and a listening socket. */
typedef struct ends {
    int listening;
    int connected;
    int accepted; /* -1: not yet */
    tci_host_address listens_at;
    tci_host_address connected_at;
} ends;

static tci_host_address any_port(int family)
{
    tci_host_address out = {.size = sizeof(struct sockaddr_in)};
    const struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                                    .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    memcpy(&out.storage, &v4, sizeof v4);
    if (family == AF_INET6) {
        memcpy(&out.storage, &v6, sizeof v6);
        out.size = sizeof v6;
    }
    return out;
}

static void ask_name(int fd, tci_host_address *out)
{
    out->size = sizeof out->storage;
    assert_int_equal(getsockname(fd, (struct sockaddr *)&out->storage, &out->size), 0);
}

/* False: the machine has no such addresses. */
static bool open_ends(ends *e, int family)
{
    tci_host_address at = any_port(family);
    e->accepted = e->connected = -1;
    e->listening = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (e->listening < 0 ||
        bind(e->listening, (const struct sockaddr *)&at.storage, at.size) != 0)
        return false;
    assert_int_equal(listen(e->listening, 4), 0);
    ask_name(e->listening, &e->listens_at);
    e->connected = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(e->connected, (const struct sockaddr *)&e->listens_at.storage,
                             e->listens_at.size),
                     0);
    ask_name(e->connected, &e->connected_at);
    return true;
}

static void close_ends(ends *e)
{
    (void)close(e->listening);
    (void)close(e->connected);
    if (e->accepted >= 0)
        (void)close(e->accepted);
}

static void expect_own(int fd, bool accepted)
{
    uid_t user = 999;
    tc_error error = {0};
    tc_status status = tci_socket_user_of_peer(fd, accepted, &user, &error);
    assert_string_equal(error.text, "");
    assert_ok(status);
    assert_int_equal(user, geteuid());
}

static void check_family(int family)
{
    ends e;
    if (!open_ends(&e, family)) {
        print_message("no addresses of family %d\n", family);
        return;
    }
    expect_own(e.connected, false); /* it is not accepted yet */
    e.accepted = accept(e.listening, NULL, NULL);
    assert_true(e.accepted >= 0);
    expect_own(e.connected, false);
    expect_own(e.accepted, true);
    close_ends(&e);
}

TEST(both_ends_are_known)
{
    check_family(AF_INET);
    check_family(AF_INET6);
}

/* The kernel calls it root's: it must count as unknown. */
TEST(a_closed_socket_is_nobodys)
{
    ends e;
    uid_t user = 999;
    assert_true(open_ends(&e, AF_INET));
    e.accepted = accept(e.listening, NULL, NULL);
    (void)close(e.connected);
    assert_status(tci_socket_user_of_peer(e.accepted, true, &user, NULL), TC_E_REFUSED);
    assert_int_equal(user, 999);
    close_ends(&e);
}

/* A port may be one that somebody else listens at. */
TEST(who_connected_is_not_asked_for_as_a_listener)
{
    ends e;
    uid_t user = 999;
    assert_true(open_ends(&e, AF_INET));
    /* The listener has not accepted: like the accepting user, it is unknown. */
    assert_status(tci_socket_user_of_peer(e.connected, true, &user, NULL), TC_E_REFUSED);
    close_ends(&e);
}

TEST(both_ways_say_the_same)
{
    ends e;
    uid_t user = 999;
    assert_true(open_ends(&e, AF_INET));
    e.accepted = accept(e.listening, NULL, NULL);
    tci_socket_user_question q = {.local = e.connected_at, .remote = e.listens_at};
    assert_true(tci_socket_user_ask_proc(&q, &user));
    assert_int_equal(user, geteuid());
    if (!TEST_EMULATED)
        assert_true(tci_socket_user_ask_netlink(&q, &user));
    q = (tci_socket_user_question){.local = e.listens_at, .listening = true};
    assert_true(tci_socket_user_ask_proc(&q, &user));
    if (!TEST_EMULATED)
        assert_true(tci_socket_user_ask_netlink(&q, &user));
    q = (tci_socket_user_question){.local = e.connected_at, .remote = e.connected_at};
    assert_false(tci_socket_user_ask_proc(&q, &user));
    assert_false(tci_socket_user_ask_netlink(&q, &user));
    close_ends(&e);
}

TEST(another_user_is_told)
{
    ends e;
    uid_t user = 999;
    if (geteuid() != 0)
        skip();
    assert_true(open_ends(&e, AF_INET));
    e.accepted = accept(e.listening, NULL, NULL);
    int gate[2];
    assert_int_equal(pipe(gate), 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        int fd = setuid(OTHER_USER) == 0 ? socket(AF_INET, SOCK_STREAM, 0) : -1;
        int failed =
            connect(fd, (const struct sockaddr *)&e.listens_at.storage, e.listens_at.size);
        (void)close(gate[1]);
        (void)!read(gate[0], &byte, 1); /* stays until it was looked at */
        _exit(failed != 0);
    }
    int fd = accept(e.listening, NULL, NULL);
    assert_ok(tci_socket_user_of_peer(fd, true, &user, NULL));
    assert_int_equal(user, OTHER_USER);
    (void)close(gate[1]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    (void)close(gate[0]);
    (void)close(fd);
    close_ends(&e);
}
