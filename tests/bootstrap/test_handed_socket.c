/* Connections that come over a Unix socket: other messages do no harm, and leave no descriptor
 * open. */
#include "../support/test.h"
#include "bootstrap/handed_socket.h"
#include "wire/hello.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static int channel[2];
static int near_end = -1, far_end = -1; /* of a connection */
static unsigned open_before;

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static void connect_ends(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    far_end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(far_end, (struct sockaddr *)&address, sizeof address), 0);
    near_end = accept(listener, NULL, NULL);
    assert_true(near_end >= 0);
    close(listener);
}

static int setup(void **state)
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
    connect_ends();
    open_before = open_descriptors();
    return 0;
}

static int teardown(void **state)
{
    close(channel[0]);
    close(channel[1]);
    close(near_end);
    close(far_end);
    return 0;
}

static void hand_over(const int *fds, size_t count)
{
    union {
        char bytes[CMSG_SPACE(8 * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec part = {.iov_base = "any text", .iov_len = 8};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof *fds);
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(count * sizeof *fds);
        memcpy(CMSG_DATA(rights), fds, count * sizeof *fds);
    }
    assert_int_equal(sendmsg(channel[0], &message, 0), 8);
}

static void expect_none(void)
{
    tci_host_address peer;
    int fd;
    assert_status(tci_handed_socket_receive(channel[1], &fd, &peer, NULL), TC_E_AGAIN);
    assert_int_equal(open_descriptors(), open_before);
}

TEST_WITH(a_connection_comes_as_it_is, setup, teardown)
{
    tci_host_address peer;
    struct sockaddr_in own;
    socklen_t size = sizeof own;
    int fd;
    hand_over(&near_end, 1);
    assert_ok(tci_handed_socket_receive(channel[1], &fd, &peer, NULL));
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(getsockname(far_end, (struct sockaddr *)&own, &size), 0);
    assert_int_equal(tci_host_address_port(&peer), ntohs(own.sin_port));
    close(fd);
    expect_none();
}

TEST_WITH(what_is_no_connection_is_dropped, setup, teardown)
{
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int unconnected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int wrong[] = {file, unconnected, channel[0]};
    open_before += 2;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        hand_over(&wrong[i], 1);
        expect_none();
    }
    close(file);
    close(unconnected);
}

TEST_WITH(no_descriptor_or_several_are_none, setup, teardown)
{
    const int several[] = {near_end, near_end, near_end, near_end, near_end, near_end};
    expect_none();
    hand_over(NULL, 0);
    expect_none();
    hand_over(several, 2);
    expect_none();
    hand_over(several, 4);
    expect_none();
}

TEST_WITH(who_hands_over_may_go, setup, teardown)
{
    tci_host_address peer;
    tc_error error;
    int fd;
    close(channel[0]);
    assert_status(tci_handed_socket_receive(channel[1], &fd, &peer, &error), TC_E_PEER_LOST);
    channel[0] = -1;
}

TEST_WITH(the_peer_hears_why_it_ends, setup, teardown)
{
    uint8_t bytes[2048];
    tc_error said, error;
    int duplicate = dup(near_end);
    assert_int_equal(send(far_end, "unread", 6, 0), 6);
    close(near_end);
    tci_handed_socket_end(duplicate, "it crashed\n", true);
    ssize_t size = recv(far_end, bytes, sizeof bytes, 0);
    assert_true(size > 0);
    assert_ok(tci_hello_refuse_decode(bytes, (size_t)size, &said, &error));
    assert_status(said.status, TC_E_PEER_LOST);
    assert_string_equal(said.text, "it crashed?");
    assert_true(recv(far_end, bytes, sizeof bytes, 0) <= 0);
    near_end = -1;
}

TEST_WITH(where_nothing_may_be_said_it_just_ends, setup, teardown)
{
    uint8_t byte;
    int duplicate = dup(near_end);
    close(near_end);
    tci_handed_socket_end(duplicate, "it crashed", false);
    assert_int_equal(recv(far_end, &byte, 1, 0), 0);
    near_end = -1;
}
