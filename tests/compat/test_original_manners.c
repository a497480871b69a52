/* Uses of memory by programs of the original's: they fill it with a pattern before they begin,
 * clear a slot themselves when its message has run, divide one buffer again for each size of
 * messages, and poll while large messages still arrive. */
#include "../support/test.h"
#include "compat_node.h"

#include "base/clock.h"
#include "ifuncs/gather.h"

#include <tc/log.h>

#define TURN 0u /* offset of a number in every process's memory, before the buffer */
#define BUFFER 4096u
#define BUFFER_BYTES (24u << 20)
#define PATTERN_SOURCE 0x11
#define PATTERN_TARGET 0x2a

static uint64_t message_count(void)
{
    const char *text = getenv("TEST_MESSAGES");
    return text != NULL ? strtoull(text, NULL, 10) : 3000;
}

static void open_filled(compat_node *node, int pattern)
{
    compat_node_open(node, BUFFER + BUFFER_BYTES);
    memset(node->memory + BUFFER, pattern, BUFFER_BYTES);
}

/* Runs the next message, and writes the pattern over all of it. */
static void run_and_clear(compat_node *node, size_t offset, size_t bytes, int pattern,
                          gather_state *gathered)
{
    compat_node_run(node, offset, bytes, gathered);
    memset(node->memory + offset, pattern, bytes);
}

static ucp_ifunc_msg_t message(ucp_ifunc_h ifunc, uint64_t number, uint64_t words)
{
    const gather_args args = {0, number, words};
    return compat_message(ifunc, &args, sizeof args);
}

/* --- ping-pong ------------------------------------------------------------------------- */

/* Every message is flushed; its answer confirms that it has run and that its slot was
 * cleared. */
static void play(compat_node *node, compat_link *link, bool begins, int pattern)
{
    gather_state gathered = {0};
    ucp_ifunc_h ifunc = compat_node_register(node, "gather", 1);
    for (uint64_t i = 0; i < message_count(); i++) {
        ucp_ifunc_msg_t msg = message(ifunc, i + 1, i % 11);
        if (!begins)
            run_and_clear(node, BUFFER, msg.frame_size, pattern, &gathered);
        compat_node_send(node, link, &msg, BUFFER);
        compat_node_flush(node, link);
        if (begins)
            run_and_clear(node, BUFFER, msg.frame_size, pattern, &gathered);
        REQUIRE(ucp_ifunc_msg_free(msg) == UCS_OK);
    }
    REQUIRE(gathered.run == message_count() && gathered.torn + gathered.out_of_order == 0);
    REQUIRE(ucp_deregister_ifunc(node->context, ifunc) == UCS_OK);
}

static void pong(int fd, void *user)
{
    compat_node node;
    (void)user;
    open_filled(&node, PATTERN_TARGET);
    play(&node, compat_node_link(&node, fd), false, PATTERN_TARGET);
    compat_node_close(&node);
}

TEST(ping_pong_in_cleared_slots)
{
    compat_node node;
    compat_child child = compat_fork(pong, NULL);
    open_filled(&node, PATTERN_SOURCE);
    play(&node, compat_node_link(&node, child.fd), true, PATTERN_SOURCE);
    compat_node_close(&node);
    assert_true(compat_wait(&child));
}

/* --- one message again and again ---------------------------------------------------------- */

/* SAME_SECONDS=8 is longer than the target's patience with one message. */
static uint64_t same_ns(void)
{
    const char *text = getenv("SAME_SECONDS");
    return text != NULL ? strtoull(text, NULL, 10) * 1000000000u : 300000000;
}

static void send_the_same(int fd, void *user)
{
    compat_node node;
    const uint64_t end_ns = tci_clock_ns() + same_ns();
    (void)user;
    open_filled(&node, PATTERN_SOURCE);
    ucp_ifunc_h ifunc = compat_node_register(&node, "gather", 0);
    compat_link *link = compat_node_link(&node, fd);
    ucp_ifunc_msg_t msg = message(ifunc, 1, 30000);
    for (uint64_t sent = 1, last = 0; !last; sent++) {
        last = tci_clock_ns() > end_ns;
        compat_node_send(&node, link, &msg, BUFFER);
        compat_node_flush(&node, link);
        compat_node_put_number(&node, link, TURN + 8, &last);
        compat_node_put_number(&node, link, TURN, &sent);
        compat_node_await_number(&node, TURN, sent);
    }
    REQUIRE(ucp_ifunc_msg_free(msg) == UCS_OK);
    compat_node_close(&node);
}

TEST(the_same_message)
{
    compat_node node;
    uint64_t run = 0, last = 0;
    compat_child child = compat_fork(send_the_same, NULL);
    open_filled(&node, PATTERN_TARGET);
    compat_link *link = compat_node_link(&node, child.fd);
    while (!last) {
        gather_state gathered = {0};
        run_and_clear(&node, BUFFER, 300000, PATTERN_TARGET, &gathered);
        assert_int_equal(gathered.torn + gathered.out_of_order, 0);
        run++;
        compat_node_await_number(&node, TURN, run);
        memcpy(&last, node.memory + TURN + 8, sizeof last);
        compat_node_put_number(&node, link, TURN, &run);
    }
    compat_node_close(&node);
    assert_true(compat_wait(&child));
}

/* --- many sizes --------------------------------------------------------------------------- */

/* Sizes of messages, in words; each fills the buffer, or a part of it, before the target
 * begins. */
static const uint64_t sizes[] = {0, 1, 13, 128, 1000, 4099, 65536, 1000003};

#define SIZES (sizeof sizes / sizeof sizes[0])

static unsigned messages_of(size_t frame_size)
{
    size_t fit = BUFFER_BYTES / frame_size;
    return fit < 200 ? (unsigned)fit : 200;
}

static void fill_the_buffer(int fd, void *user)
{
    compat_node node;
    uint64_t number = 0, round = 0;
    (void)user;
    open_filled(&node, PATTERN_SOURCE);
    ucp_ifunc_h ifunc = compat_node_register(&node, "gather", 0);
    compat_link *link = compat_node_link(&node, fd);
    for (size_t i = 0; i < SIZES; i++) {
        size_t frame_size = 0;
        unsigned count = 1;
        for (unsigned k = 0; k < count; k++) {
            ucp_ifunc_msg_t msg = message(ifunc, ++number, sizes[i]);
            frame_size = msg.frame_size;
            count = messages_of(frame_size);
            compat_node_send(&node, link, &msg, BUFFER + k * frame_size);
            REQUIRE(ucp_ifunc_msg_free(msg) == UCS_OK);
        }
        compat_node_flush(&node, link);
        compat_node_await_number(&node, TURN, ++round);
    }
    compat_node_close(&node);
}

TEST(a_buffer_of_many_sizes)
{
    compat_node node;
    gather_state gathered = {0};
    uint64_t round = 0, sent = 0;
    compat_child child = compat_fork(fill_the_buffer, NULL);
    open_filled(&node, PATTERN_TARGET);
    ucp_ifunc_h ifunc = compat_node_register(&node, "gather", 0);
    compat_link *link = compat_node_link(&node, child.fd);
    for (size_t i = 0; i < SIZES; i++) {
        ucp_ifunc_msg_t like = message(ifunc, 1, sizes[i]);
        const unsigned count = messages_of(like.frame_size);
        for (unsigned k = 0; k < count; k++) {
            const size_t at = k * like.frame_size;
            compat_node_run(&node, BUFFER + at, BUFFER_BYTES - at, &gathered);
        }
        sent += count;
        assert_int_equal(gathered.run, sent);
        memset(node.memory + BUFFER, PATTERN_TARGET, count * like.frame_size);
        assert_int_equal(ucp_ifunc_msg_free(like), UCS_OK);
        round++;
        compat_node_put_number(&node, link, TURN, &round);
    }
    compat_node_close(&node);
    assert_true(compat_wait(&child));
    assert_int_equal(gathered.torn + gathered.out_of_order, 0);
}

/* --- the code ----------------------------------------------------------------------------- */

/* Behind a header, a payload of 40 bytes and its space: code, or the pattern that lay there. */
static bool has_code(const compat_node *node)
{
    return node->memory[BUFFER + 200] != PATTERN_TARGET;
}

/* Where slots are mapped the code goes to a process once, though its slots do not show that it
 * came. */
TEST(code_travels_once)
{
    compat_node node;
    gather_state gathered = {0};
    void *mapped;
    open_filled(&node, PATTERN_TARGET);
    compat_link *self = compat_node_link_self(&node);
    ucp_ifunc_h ifunc = compat_node_register(&node, "gather", 0);
    const bool stores = ucp_rkey_ptr(self->rkey, self->remote, &mapped) == UCS_OK;
    for (uint64_t i = 1; i <= 4; i++) {
        ucp_ifunc_msg_t msg = message(ifunc, i, 2);
        compat_node_send(&node, self, &msg, BUFFER);
        compat_node_flush(&node, self);
        assert_int_equal(has_code(&node), !stores || i == 1);
        run_and_clear(&node, BUFFER, msg.frame_size, PATTERN_TARGET, &gathered);
        assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    }
    /* A new key may be another process's: the code goes along. */
    ucp_rkey_destroy(self->rkey);
    void *packed;
    size_t packed_bytes;
    REQUIRE(ucp_rkey_pack(node.context, node.memory_handle, &packed, &packed_bytes) == UCS_OK);
    REQUIRE(ucp_ep_rkey_unpack(self->ep, packed, &self->rkey) == UCS_OK);
    ucp_rkey_buffer_release(packed);
    ucp_ifunc_msg_t msg = message(ifunc, 5, 2);
    compat_node_send(&node, self, &msg, BUFFER);
    compat_node_flush(&node, self);
    assert_true(has_code(&node));
    run_and_clear(&node, BUFFER, msg.frame_size, PATTERN_TARGET, &gathered);
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    assert_int_equal(gathered.run, 5);
    assert_int_equal(gathered.torn + gathered.out_of_order, 0);
    compat_node_close(&node);
}

/* --- the log ------------------------------------------------------------------------------ */

static ucs_status_t poll(compat_node *node, size_t room)
{
    return ucp_poll_ifunc(node->context, node->memory + BUFFER, room, NULL, node->worker);
}

static unsigned lines_logged;

static void count_line(void *user, tc_log_level level, const char *line)
{
    (void)user;
    (void)level;
    (void)line;
    lines_logged++;
}

/* Polling is quiet, whatever is polled. */
TEST(said_once)
{
    compat_node node;
    const tc_log_level level = tc_log_get_level();
    open_filled(&node, PATTERN_TARGET);
    lines_logged = 0;
    tc_log_set_sink(count_line, NULL);
    tc_log_set_level(TC_LOG_WARN);
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(poll(&node, BUFFER_BYTES), UCS_ERR_NO_MESSAGE);
        assert_int_equal(poll(&node, 32), UCS_ERR_INVALID_PARAM);
    }
    tc_log_set_level(level);
    tc_log_set_sink(NULL, NULL);
    compat_node_close(&node);
    assert_in_range(lines_logged, 1, 8); /* again after seconds, if this takes so long */
}

/* Programs free messages that they failed to make, in memory that they never filled. */
TEST(freed_without_being_made)
{
    compat_node node;
    const gather_args args = {0, 1, 4};
    ucp_ifunc_msg_t msg, copy;
    open_filled(&node, PATTERN_TARGET);
    ucp_ifunc_h ifunc = compat_node_register(&node, "gather", 1), never = NULL;
    memset(&msg, 0x11, sizeof msg);
    assert_true(ucp_ifunc_msg_free(msg) != UCS_OK);
    assert_true(ucp_ifunc_msg_create(never, NULL, 0, &msg) != UCS_OK);
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    memset(&msg, 0x2a, sizeof msg);
    memset(&never, 0x2a, sizeof never);
    assert_true(ucp_ifunc_msg_create(never, NULL, 0, &msg) != UCS_OK);
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    memset(&msg, 0x2a, sizeof msg);
    assert_int_equal(ucp_ifunc_msg_create(ifunc, (void *)(uintptr_t)&args, 8, &msg),
                     UCS_ERR_CANCELED);
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    msg = compat_message(ifunc, &args, sizeof args);
    copy = msg;
    assert_int_equal(ucp_ifunc_msg_free(msg), UCS_OK);
    assert_int_equal(ucp_ifunc_msg_free(copy), UCS_ERR_NO_ELEM);
    compat_node_close(&node);
}
