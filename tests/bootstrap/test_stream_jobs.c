/* Streams between processes of a job, which have a key that no option gave them; and of
 * others. */
#include "../support/test.h"
#include "keys_bench.h"

#include <sys/socket.h>
#include <tc/options.h>
#include <unistd.h>

static void load_job(tci_credentials *which, const char *name, uint8_t seed)
{
    tci_tls_key key = {.bytes = {seed}};
    tc_options *opts;
    tc_error error = {0};
    (void)snprintf(key.name, sizeof key.name, "%s", name);
    assert_ok(tc_options_create(&opts, NULL));
    tc_status status = tci_credentials_of_job(&key, opts, which, &error);
    tc_options_destroy(opts);
    assert_string_equal(error.text, "");
    assert_ok(status);
}

static void load_file(keys_bench *b, tci_credentials *which, const char *name, unsigned seed)
{
    certificate_make_key(b->folder, "file", name, seed);
    assert_ok(keys_bench_load_key(b, which, "file", NULL));
}

/* Both sides are refused, and both report the reason. */
static void expect_refusal(keys_bench *b, const char *far_text, const char *near_text)
{
    keys_bench_listen(b);
    assert_status(keys_bench_connect(b, "127.0.0.1"), TC_E_REFUSED);
    assert_text_has(b->far_error.text, far_text);
    assert_text_has(b->near_error.text, near_text);
    assert_int_equal(b->turned_away, 1);
    assert_null(b->near);
    assert_string_equal(tci_stream_identity(b->far), "");
}

KEYS_TEST(members_of_a_job_connect)
{
    keys_bench *b = *state;
    load_job(&b->here, "1234.0", 1);
    load_job(&b->there, "1234.0", 1);
    keys_bench_listen(b);
    assert_ok(keys_bench_connect(b, "127.0.0.1"));
    assert_string_equal(tci_stream_identity(b->near), "job:1234.0");
    assert_string_equal(tci_stream_identity(b->far), "job:1234.0");
    keys_bench_exchange(b);
}

/* The owner of the credentials may free them when they are unused. */
KEYS_TEST(connections_are_counted)
{
    keys_bench *b = *state;
    members_of_a_job_connect(state);
    assert_int_equal(b->here.sessions, 1);
    assert_int_equal(b->there.sessions, 1);
    tci_stream_close(b->near);
    tci_stream_close(b->far);
    b->near = b->far = NULL;
    assert_int_equal(b->here.sessions, 0);
    assert_int_equal(b->there.sessions, 0);
}

KEYS_TEST(another_job_is_refused)
{
    keys_bench *b = *state;
    load_job(&b->here, "1234.0", 1);
    load_job(&b->there, "1234.1", 2);
    expect_refusal(b, "it has no key of the name of this side's, job:1234.1: only processes of",
                   "its key is named '1234.1', and this side has none of that name; expected "
                   "job:1234.0");
}

KEYS_TEST(another_job_of_the_name_is_refused)
{
    keys_bench *b = *state;
    load_job(&b->here, "1234.0", 1);
    load_job(&b->there, "1234.0", 2);
    expect_refusal(b, "job:1234.0, is another: only processes of one job share its key",
                   "job:1234.0, is another: only processes of one job share its key");
}

KEYS_TEST(a_file_of_the_name_is_refused)
{
    keys_bench *b = *state;
    load_job(&b->here, "1234.0", 1);
    load_file(b, &b->there, "1234.0", 2);
    expect_refusal(b, "key:1234.0, is another", "job:1234.0, is another");
}

KEYS_TEST(clear_text_is_refused)
{
    keys_bench *b = *state;
    char text[512] = "";
    load_job(&b->here, "1234.0", 1);
    keys_bench_listen(b);
    int fd = keys_bench_raw(b);
    assert_int_equal(send(fd, "TCHL", 4, MSG_NOSIGNAL), 4);
    uint64_t deadline = tci_deadline_after(KEYS_PATIENCE_NS);
    while (b->turned_away == 0) {
        assert_true(tci_deadline_left_ns(deadline) > 0);
        keys_bench_turn(b);
    }
    assert_text_has(b->near_error.text,
                    "speaks clear text, and only members of job:1234.0 are taken here");
    assert_true(recv(fd, text, sizeof text - 1, 0) > 0);
    (void)close(fd);
}
