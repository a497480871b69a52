/* The page of metrics: labels that need escapes, sums beyond the bound, and the time that a
 * large page takes, which it prints. */
#include "../../tools/node_exposition.h"

#include "../support/test.h"
#include "base/clock.h"

#include <inttypes.h>
#include <tc/context.h>

static node_exposition page;
static const node_counters none;

static const char *render(void)
{
    assert_true(node_exposition_render(&page, &none));
    page.text[page.size - 1] = '\0'; /* instead of the last line feed */
    return page.text;
}

static void expect(const char *text, const char *line)
{
    if (strstr(text, line) == NULL)
        fail_msg("no \"%s\" in\n%s", line, text);
}

static void add_function(const char *name, uint64_t calls, uint64_t timed)
{
    const uint8_t id[16] = {0xab, 0x01, [15] = 0xff};
    const tc_usage_entry entry = {.struct_size = sizeof entry,
                                  .kind = TC_USAGE_FUNCTION,
                                  .name = name,
                                  .id = id,
                                  .identity = "",
                                  .calls = calls,
                                  .bytes = 10 * calls,
                                  .loads = 1,
                                  .load_ns = 1500000001,
                                  .timed = timed,
                                  .time_ns = 7000000042,
                                  .p50_ns = 120,
                                  .p99_ns = 999};
    node_exposition_add(&page, &entry);
}

static void add_peer(uint32_t number, const char *identity, uint64_t calls)
{
    const tc_usage_entry entry = {.struct_size = sizeof entry,
                                  .kind = TC_USAGE_PEER,
                                  .peer = number,
                                  .name = "127.0.0.1:40212",
                                  .identity = identity,
                                  .calls = calls};
    node_exposition_add(&page, &entry);
}

TEST(lines_have_labels_and_units)
{
    add_function("count", 3, 2);
    add_peer(7, "cert:CN=a", 3);
    const char *text = render();
    const char *labels = "function=\"count\",id=\"ab0100000000000000000000000000ff\"} ";
    char line[200];
    (void)snprintf(line, sizeof line, "\ntchains_function_calls_total{%s3\n", labels);
    expect(text, line);
    (void)snprintf(line, sizeof line, "\ntchains_function_payload_bytes_total{%s30\n", labels);
    expect(text, line);
    (void)snprintf(line, sizeof line, "\ntchains_function_load_seconds_total{%s1.500000001\n",
                   labels);
    expect(text, line);
    expect(text, "# TYPE tchains_function_load_seconds counter\n"
                 "# UNIT tchains_function_load_seconds seconds\n");
    expect(text, "\ntchains_peer_calls_total{peer=\"7\",address=\"127.0.0.1:40212\","
                 "identity=\"cert:CN=a\"} 3\n");
    expect(text, ",quantile=\"0.5\"} 0.000000120\n");
    expect(text, ",quantile=\"0.99\"} 0.000000999\n");
    expect(text, "\nrpc_server_call_duration_seconds_sum{rpc_system_name=\"tchains\","
                 "rpc_method=\"count\",id=\"ab0100000000000000000000000000ff\"} 7.000000042\n");
    assert_null(strstr(text, "tchains_function_evictions_total"));
    assert_string_equal(text + strlen(text) - 5, "# EOF");
}

TEST(labels_are_escaped)
{
    add_function("a\"b\\c\nd", 1, 0);
    add_peer(1, "key:\"\\\n", 1);
    const char *text = render();
    expect(text, "{function=\"a\\\"b\\\\c\\nd\",");
    expect(text, "identity=\"key:\\\"\\\\\\n\"} 1\n");
}

TEST(an_empty_page_has_the_counters)
{
    const char *text = render();
    expect(text, "\ntchains_messages_run_total 0\n");
    assert_null(strstr(text, "tchains_function_calls"));
}

/* Ten more functions than have lines. */
TEST(functions_beyond_the_bound_are_summed_up)
{
    for (unsigned i = 0; i < NODE_EXPOSITION_FUNCTIONS_MAX + 10; i++)
        add_function("f", 2, 0);
    const char *text = render();
    expect(text, "\ntchains_function_calls_total{function=\"other\",id=\"\"} 20\n");
    expect(text, "\ntchains_function_payload_bytes_total{function=\"other\",id=\"\"} 200\n");
}

TEST(a_page_does_not_keep_rows)
{
    add_function("first", 1, 0);
    (void)render();
    add_function("second", 1, 0);
    assert_null(strstr(render(), "first"));
}

/* A name of usual length; all are timed, which has most lines. */
static void add_many(unsigned functions, unsigned peers)
{
    for (unsigned i = 0; i < functions; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "function_%05u", i);
        add_function(name, 1000000u + i, 100);
    }
    for (unsigned i = 0; i < peers; i++)
        add_peer(i, "cert:CN=node.example", 123456789);
}

TEST(a_large_page_takes_some_milliseconds)
{
    uint64_t best_ns = UINT64_MAX;
    for (unsigned i = 0; i < 20; i++) {
        const uint64_t begun_ns = tci_clock_ns();
        add_many(10000, 1000);
        assert_true(node_exposition_render(&page, &none));
        const uint64_t ns = tci_clock_ns() - begun_ns;
        best_ns = ns < best_ns ? ns : best_ns;
    }
    print_message("10000 timed functions, 1000 peers: %zu bytes in %.2f ms\n", page.size,
                  (double)best_ns / 1e6);
    assert_true(page.size > 5000000);
    node_exposition_free(&page);
}
