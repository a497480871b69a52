/* With payload=readonly functions read their payloads and cannot change them, by every
 * delivery: a store ends the process, by a signal whose line names the function. Without it
 * they can, but for those that ask for read-only ones (TC_PAYLOAD_READONLY). The function is
 * tests/shipped/peruse.c. */
#include "../shipped/peruse.h"
#include "../support/pair.h"
#include "../support/require.h"
#include "../support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <sys/wait.h>
#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/crash.h>
#include <unistd.h>

#define PAYLOAD_MAX ((size_t)3 << 20)

static const char *const read_only[] = {"payload", "readonly", NULL};
/* Rings that are closed to others, and nothing shared for large payloads. */
static const char *const read_only_closed[] = {
    "payload", "readonly", "ring_memory_max", "0", "staging_bytes", "0", NULL};

static const size_t sizes[] = {1,    8,    16,    48,    49,     200,
                               4000, 8000, 40000, 70000, 300000, PAYLOAD_MAX};
#define SIZES (sizeof sizes / sizeof sizes[0])

typedef struct bench {
    pair pair;
    peruse_state state;
    tc_ifunc *plain, *aligned;
    uint8_t *payload;
    uint64_t sent;
} bench;

static void set_state(bench *b)
{
    pair_pause(&b->pair);
    tc_context_set_target_args(b->pair.target, &b->state);
    pair_resume(&b->pair);
}

static void open_bench_of(bench *b, const char *const *options, const char *plain,
                          const char *aligned, void (*seen)(peruse_state *, void *, size_t))
{
    *b = (bench){.state = {.seen = seen}};
    pair_open(&b->pair, options);
    set_state(b);
    b->plain = pair_ifunc(&b->pair, plain);
    b->aligned = pair_ifunc(&b->pair, aligned);
    b->payload = malloc(PAYLOAD_MAX + 1);
    REQUIRE(b->payload != NULL);
}

static void open_bench(bench *b, const char *const *options,
                       void (*seen)(peruse_state *, void *, size_t))
{
    open_bench_of(b, options, "peruse", "peruse256", seen);
}

static void close_bench(bench *b, uint64_t expect_read_only, uint64_t expect_writable)
{
    pair_flush(b->pair.ep);
    assert_int_equal(tc_ep_refusal(b->pair.ep, NULL), 0);
    pair_pause(&b->pair);
    assert_int_equal(b->state.wrong, 0);
    assert_int_equal(b->state.calls, b->sent);
    assert_int_equal(b->state.read_only, expect_read_only);
    assert_int_equal(b->state.writable, expect_writable);
    pair_resume(&b->pair);
    tc_ifunc_close(b->plain);
    tc_ifunc_close(b->aligned);
    free(b->payload);
    pair_close(&b->pair);
}

/* From an odd address, so that no copy is aligned by chance. */
static const void *payload_of(bench *b, size_t size)
{
    peruse_fill(b->payload + 1, size);
    return b->payload + 1;
}

/* Asks the kernel, for the first byte and the last one: it writes to memory where a store would
 * not fault. */
static void look(peruse_state *state, void *payload, size_t size)
{
    uint8_t *const ends[] = {payload, (uint8_t *)payload + size - 1};
    int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    unsigned written = 0;
    for (size_t i = 0; i < 2; i++) {
        ssize_t n = read(zeros, ends[i], 1);
        REQUIRE(n == 1 || (n == -1 && errno == EFAULT));
        written += n == 1;
    }
    REQUIRE(close(zeros) == 0 && written != 1);
    state->writable += written == 2;
    state->read_only += written == 0;
}

/* --- reading ------------------------------------------------------------------------------ */

static void send_one(bench *b, tc_ifunc *fn, size_t size)
{
    assert_ok(pair_send(b->pair.ep, fn, payload_of(b, size), size));
    b->sent++;
}

/* Several rounds: the first large ones go in fragments. */
static void send_all(bench *b)
{
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < SIZES; i++) {
            send_one(b, b->plain, sizes[i]);
            send_one(b, b->aligned, sizes[i]);
        }
        pair_flush(b->pair.ep);
    }
}

static void messages_of_every_size(void **state)
{
    bench b;
    open_bench(&b, read_only, look);
    send_all(&b);
    close_bench(&b, 6 * SIZES, 0);
}

static void messages_to_a_ring_that_nobody_else_maps(void **state)
{
    const char *delivery = getenv("TC_DELIVERY");
    bench b;
    if (delivery != NULL && strcmp(delivery, "put") == 0)
        skip(); /* which needs another ring */
    open_bench(&b, read_only_closed, look);
    send_all(&b);
    close_bench(&b, 6 * SIZES, 0);
}

static void without_the_option_they_are_writable(void **state)
{
    bench b;
    open_bench(&b, NULL, look);
    send_all(&b);
    close_bench(&b, 0, 6 * SIZES);
}

/* At a target without the option, beside others with writable payloads. */
static void functions_that_ask_have_them_read_only(void **state)
{
    bench b;
    open_bench_of(&b, NULL, "careful", "peruse256", look);
    assert_int_equal(tc_ifunc_payload_alignment(b.plain), 4096);
    send_all(&b);
    close_bench(&b, 3 * SIZES, 3 * SIZES);
}

static void functions_that_ask_where_all_are(void **state)
{
    bench b;
    open_bench_of(&b, read_only, "careful", "careful256", look);
    send_all(&b);
    close_bench(&b, 6 * SIZES, 0);
}

/* The ring comes round many times, and messages lie where others lay. */
static void many_messages(void **state)
{
    bench b;
    open_bench(&b, read_only, NULL);
    for (size_t i = 0; i < 20000; i++)
        send_one(&b, i % 3 == 0 ? b.aligned : b.plain, i * 7 % 601);
    close_bench(&b, 0, 0);
}

static void send_with_code(bench *b, size_t size,
                           tc_status (*send)(tc_ep *, tc_ifunc *, const void *, size_t))
{
    tc_status status;
    const void *payload = payload_of(b, size);
    while ((status = send(b->pair.ep, b->plain, payload, size)) == TC_E_AGAIN)
        (void)tc_wait(b->pair.source, TC_MILLISECONDS(100));
    assert_ok(status);
    b->sent++;
}

static void with_code_each_time_injected_and_called(void **state)
{
    bench b;
    const char *form = getenv("TC_FORM");
    open_bench(&b, read_only, look);
    for (size_t i = 0; i < SIZES && sizes[i] <= 8000; i++) {
        tc_error error;
        send_with_code(&b, sizes[i], tc_send_uncached);
        if (form == NULL || strcmp(form, "bitcode") != 0)
            send_with_code(&b, sizes[i], tc_send_injected);
        assert_ok(tc_call(b.pair.ep, b.plain, payload_of(&b, sizes[i]), sizes[i], NULL, NULL,
                          PAIR_TIMEOUT_NS, &error));
        b.sent++;
    }
    close_bench(&b, b.sent, 0);
}

static void functions_that_ask_with_their_code_and_called(void **state)
{
    bench b;
    const char *form = getenv("TC_FORM");
    open_bench_of(&b, NULL, "careful", "careful256", look);
    for (size_t i = 0; i < SIZES && sizes[i] <= 8000; i++) {
        tc_error error;
        send_with_code(&b, sizes[i], tc_send_uncached);
        assert_ok(tc_call(b.pair.ep, b.plain, payload_of(&b, sizes[i]), sizes[i], NULL, NULL,
                          PAIR_TIMEOUT_NS, &error));
        b.sent++;
    }
    if (form == NULL || strcmp(form, "bitcode") != 0) {
        tc_error error;
        assert_status(tc_send_injected(b.pair.ep, b.plain, "1", 1), TC_E_UNSUPPORTED);
        (void)tc_send_error(b.pair.source, &error);
        assert_non_null(strstr(error.text, "careful: it asks for read-only payloads"));
    }
    close_bench(&b, b.sent, 0);
}

static void local_main(void *payload, size_t size, void *target_args)
{
    peruse_state *state = target_args;
    state->calls++;
    look(state, payload, size);
}

static void functions_of_the_targets_own(void **state)
{
    bench b;
    tc_error error;
    tc_ifunc *local;
    open_bench(&b, read_only, NULL);
    pair_pause(&b.pair);
    assert_ok(tc_ifunc_open(b.pair.target, "peruse", &local, &error));
    assert_ok(tc_ifunc_use_local(local, local_main, &error));
    pair_resume(&b.pair);
    for (size_t i = 0; i < SIZES; i++)
        send_one(&b, b.plain, sizes[i]);
    pair_flush(b.pair.ep);
    pair_pause(&b.pair);
    tc_ifunc_close(local);
    pair_resume(&b.pair);
    close_bench(&b, SIZES, 0);
}

/* --- writing ------------------------------------------------------------------------------ */

static size_t fatal_size;
static const char *fatal_name;
static const char *fatal_reason;

/* In a child: the last of a few messages is changed by its function. */
static void write_to_it(const char *const *options)
{
    const struct sigaction none = {.sa_handler = SIG_DFL};
    bench b;
    (void)alarm(100);
    REQUIRE(sigaction(SIGSEGV, &none, NULL) == 0);
    tc_crash_line_install("a program", NULL, NULL);
    open_bench(&b, options, NULL);
    tc_ifunc *fn = pair_ifunc(&b.pair, fatal_name);
    for (int i = 0; i < 3; i++) {
        REQUIRE(pair_send(b.pair.ep, fn, payload_of(&b, fatal_size), fatal_size) == TC_OK);
        pair_flush(b.pair.ep);
    }
    REQUIRE(b.state.calls == 3 && b.state.wrong == 0);
    b.state.writes = 1;
    set_state(&b);
    REQUIRE(pair_send(b.pair.ep, fn, payload_of(&b, fatal_size), fatal_size) == TC_OK);
    pair_flush(b.pair.ep);
    _exit(42); /* it lives */
}

static int watch(const char *const *options, char *said, size_t said_size)
{
    int fds[2], status;
    size_t length = 0;
    ssize_t got;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)dup2(fds[1], STDERR_FILENO);
        (void)close(fds[0]);
        (void)close(fds[1]);
        write_to_it(options);
    }
    (void)close(fds[1]);
    while ((got = read(fds[0], said + length, said_size - 1 - length)) > 0)
        length += (size_t)got;
    said[length] = '\0';
    (void)close(fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void expect_line(const char *said)
{
    char pattern[512];
    regex_t compiled;
    (void)snprintf(
        pattern, sizeof pattern,
        "a program: SIGSEGV in %s[a-z_:]*\\+0x[0-9a-f]+ of [0-9a-f]{32}; running: "
        "function '%s' [0-9a-f]{32} from .*, process [0-9]+; it wrote to its payload, "
        "which is read-only \\(%s\\)\n",
        fatal_name, fatal_name, fatal_reason);
    assert_int_equal(regcomp(&compiled, pattern, REG_EXTENDED), 0);
    if (regexec(&compiled, said, 0, NULL, 0) != 0)
        fail_msg("no line '%s' in: %s", pattern, said);
    regfree(&compiled);
}

/* In the ring, copied for its alignment, and by each way that large ones take here. */
static void a_store_is_the_functions_fault(void **state)
{
    static const struct {
        const char *name;
        size_t size;
        const char *const *options;
    } ways[] = {
        {"peruse", 8, read_only},      {"peruse256", 8, read_only},
        {"peruse", 300000, read_only}, {"peruse", 300000, read_only_closed},
        {"careful", 8, NULL},          {"careful", 300000, NULL},
    };
    const char *delivery = getenv("TC_DELIVERY");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        static char said[16384];
        if (ways[i].options == read_only_closed && delivery != NULL &&
            strcmp(delivery, "put") == 0)
            continue;
        fatal_name = ways[i].name;
        fatal_size = ways[i].size;
        fatal_reason = ways[i].options != NULL ? "option payload" : "TC_PAYLOAD_READONLY";
        int status = watch(ways[i].options, said, sizeof said);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
            fail_msg("way %zu: status 0x%x: %s", i, (unsigned)status, said);
        expect_line(said);
    }
}

static void without_the_option_a_store_is_none(void **state)
{
    static char said[16384];
    fatal_name = "peruse";
    fatal_size = 8;
    int status = watch(NULL, said, sizeof said);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    assert_null(strstr(said, "SIGSEGV"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_is_the_functions_fault), /* first: it forks */
        cmocka_unit_test(without_the_option_a_store_is_none),
        cmocka_unit_test(messages_of_every_size),
        cmocka_unit_test(messages_to_a_ring_that_nobody_else_maps),
        cmocka_unit_test(without_the_option_they_are_writable),
        cmocka_unit_test(functions_that_ask_have_them_read_only),
        cmocka_unit_test(functions_that_ask_where_all_are),
        cmocka_unit_test(functions_that_ask_with_their_code_and_called),
        cmocka_unit_test(many_messages),
        cmocka_unit_test(with_code_each_time_injected_and_called),
        cmocka_unit_test(functions_of_the_targets_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
