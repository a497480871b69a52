#include "../support/test.h"
#include "base/option_names.h"
#include "base/option_table.h"

#include <ctype.h>

static tc_options *create_options(void)
{
    tc_options *opts = NULL;
    tc_error err;
    assert_ok(tc_options_create(&opts, &err));
    return opts;
}

static int clear_environment(void **state)
{
    for (size_t i = 0; i < tc_options_count(); i++)
        (void)unsetenv(tc_options_info(i)->env);
    return 0;
}

static void expect_number(tc_options *opts, const char *name, const char *value,
                          const uint64_t *field, uint64_t expected)
{
    tc_error err;
    assert_ok(tc_options_set(opts, name, value, &err));
    assert_true(*field == expected);
}

static void expect_refused(tc_options *opts, const char *name, const char *value)
{
    char before[TCI_OPTION_TEXT_MAX];
    char after[TCI_OPTION_TEXT_MAX];
    tc_error err;
    assert_ok(tc_options_get(opts, name, before, sizeof before));
    assert_status(tc_options_set(opts, name, value, &err), TC_E_INVALID);
    assert_status(err.status, TC_E_INVALID);
    assert_non_null(strstr(err.text, name));
    assert_ok(tc_options_get(opts, name, after, sizeof after));
    assert_string_equal(before, after);
}

/* The output of tc-info and docs/options.md has no gaps, and the environment's name follows
 * from the option's. */
TEST_WITH(every_row_is_complete, clear_environment, clear_environment)
{
    assert_true(tc_options_count() > 0);
    for (size_t i = 0; i < tc_options_count(); i++) {
        const tc_option_info *info = tc_options_info(i);
        char env[64] = "TC_";
        for (size_t c = 0; c <= strlen(info->name); c++)
            env[3 + c] = (char)toupper((unsigned char)info->name[c]);
        assert_string_equal(info->env, env);
        assert_true(strlen(info->unit) > 0 && strlen(info->range) > 0 &&
                    strlen(info->help) > 0);
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(info->name, tc_options_info(other)->name);
    }
    assert_null(tc_options_info(tc_options_count()));
}

TEST_WITH(what_get_gives_set_takes, clear_environment, clear_environment)
{
    tc_options *opts = create_options();
    for (size_t i = 0; i < tc_options_count(); i++) {
        const char *name = tc_options_info(i)->name;
        char first[TCI_OPTION_TEXT_MAX];
        char second[TCI_OPTION_TEXT_MAX];
        tc_error err;
        assert_ok(tc_options_set(opts, name, tc_options_info(i)->default_value, &err));
        assert_ok(tc_options_get(opts, name, first, sizeof first));
        assert_ok(tc_options_set(opts, name, first, &err));
        assert_ok(tc_options_get(opts, name, second, sizeof second));
        assert_string_equal(first, second);
    }
    tc_options_destroy(opts);
}

TEST_WITH(defaults_hold_without_environment, clear_environment, clear_environment)
{
    tc_options *opts = create_options();
    assert_true(opts->delivery == TCI_DELIVERY_AUTO);
    assert_true(opts->ring_bytes == 256 * 1024);
    assert_true(opts->connect_timeout == 10000000000);
    assert_true(opts->listen_any == 0);
    assert_string_equal(opts->ifunc_path, ".");
    tc_options_destroy(opts);
}

TEST_WITH(set_beats_environment_beats_default, clear_environment, clear_environment)
{
    char text[32];
    tc_error err;
    assert_int_equal(setenv("TC_DELIVERY", "am", 1), 0);
    assert_int_equal(setenv("TC_IFUNC_PATH", "/a:/b", 1), 0);
    tc_options *opts = create_options();
    assert_true(opts->delivery == TCI_DELIVERY_AM);
    assert_string_equal(opts->ifunc_path, "/a:/b");
    assert_ok(tc_options_set(opts, "delivery", "direct", &err));
    assert_ok(tc_options_get(opts, "delivery", text, sizeof text));
    assert_string_equal(text, "direct");
    tc_options_destroy(opts);
}

TEST_WITH(a_bad_environment_is_named, clear_environment, clear_environment)
{
    tc_options *opts = NULL;
    tc_error err;
    assert_int_equal(setenv("TC_RING_BYTES", "3000", 1), 0);
    assert_status(tc_options_create(&opts, &err), TC_E_INVALID);
    assert_null(opts);
    assert_non_null(strstr(err.text, "TC_RING_BYTES"));
    assert_non_null(strstr(err.text, "3000"));
    assert_non_null(strstr(err.text, "4K..2M"));
    assert_status(tc_options_create(&opts, NULL), TC_E_INVALID);
}

TEST_WITH(sizes_take_suffixes, clear_environment, clear_environment)
{
    tc_options *opts = create_options();
    expect_number(opts, "ring_bytes", "4096", &opts->ring_bytes, 4096);
    expect_number(opts, "ring_bytes", "4K", &opts->ring_bytes, 4096);
    expect_number(opts, "ring_bytes", "2M", &opts->ring_bytes, 2u << 20);
    expect_number(opts, "send_queue_bytes", "1G", &opts->send_queue_bytes, 1u << 30);
    expect_number(opts, "send_queue_bytes", "0", &opts->send_queue_bytes, 0);
    tc_options_destroy(opts);
}

TEST_WITH(times_take_suffixes, clear_environment, clear_environment)
{
    tc_options *opts = create_options();
    expect_number(opts, "spin", "5", &opts->spin, 5);
    expect_number(opts, "spin", "5ns", &opts->spin, 5);
    expect_number(opts, "spin", "5us", &opts->spin, 5000);
    expect_number(opts, "connect_timeout", "5ms", &opts->connect_timeout, 5000000);
    expect_number(opts, "connect_timeout", "5s", &opts->connect_timeout, 5000000000);
    expect_number(opts, "connect_timeout", "24h", &opts->connect_timeout, 24 * 3600000000000);
    tc_options_destroy(opts);
}

TEST_WITH(numbers_outside_their_range_are_refused, clear_environment, clear_environment)
{
    tc_options *opts = create_options();
    expect_refused(opts, "ring_bytes", "2K");
    expect_refused(opts, "ring_bytes", "8M");
    expect_refused(opts, "ring_bytes", "5000"); /* not a power of two */
    expect_refused(opts, "functions_max", "0");
    expect_refused(opts, "functions_max", "65536");
    expect_refused(opts, "connect_timeout", "0");
    expect_refused(opts, "connect_timeout", "25h");
    expect_refused(opts, "code_bytes_max", "18446744073709551615G");
    expect_refused(opts, "code_bytes_max", "99999999999999999999");
    tc_options_destroy(opts);
}

TEST_WITH(what_is_no_number_is_refused, clear_environment, clear_environment)
{
    static const char *const texts[] = {"",       "-1",  "+1",     " 8192",  "8192 ",
                                        "0x2000", "8k",  "8KB",    "8192K8", "K",
                                        "8192us", "1e4", "8192.0", "auto"};
    tc_options *opts = create_options();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_refused(opts, "ring_bytes", texts[i]);
    expect_refused(opts, "spin", "1K");
    expect_refused(opts, "functions_max", "1K");
    tc_options_destroy(opts);
}

TEST_WITH(choices_are_exact, clear_environment, clear_environment)
{
    tc_options *opts = create_options();
    expect_number(opts, "delivery", "auto", &opts->delivery, TCI_DELIVERY_AUTO);
    expect_number(opts, "delivery", "direct", &opts->delivery, TCI_DELIVERY_DIRECT);
    expect_number(opts, "delivery", "am", &opts->delivery, TCI_DELIVERY_AM);
    expect_number(opts, "listen_any", "yes", &opts->listen_any, 1);
    expect_number(opts, "listen_any", "no", &opts->listen_any, 0);
    expect_refused(opts, "delivery", "");
    expect_refused(opts, "delivery", "a");
    expect_refused(opts, "delivery", "AM");
    expect_refused(opts, "delivery", "am|direct");
    expect_refused(opts, "listen_any", "1");
    tc_options_destroy(opts);
}

TEST_WITH(texts_have_a_limit, clear_environment, clear_environment)
{
    char longest[TCI_OPTION_TEXT_MAX];
    char longer[TCI_OPTION_TEXT_MAX + 1];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    memset(longer, 'a', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    tc_options *opts = create_options();
    assert_ok(tc_options_set(opts, "ifunc_path", longest, NULL));
    assert_string_equal(opts->ifunc_path, longest);
    expect_refused(opts, "ifunc_path", longer);
    tc_options_destroy(opts);
}

TEST_WITH(get_cuts_to_the_buffer, clear_environment, clear_environment)
{
    tc_options *opts = create_options();
    char text[4];
    assert_ok(tc_options_get(opts, "ring_bytes", text, sizeof text));
    assert_string_equal(text, "262");
    tc_options_destroy(opts);
}

TEST_WITH(unknown_names_are_not_found, clear_environment, clear_environment)
{
    tc_options *opts = create_options();
    tc_error err;
    char text[8];
    assert_status(tc_options_set(opts, "ring", "4K", &err), TC_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "'ring'"));
    assert_status(tc_options_set(opts, "", "4K", NULL), TC_E_NOT_FOUND);
    assert_status(tc_options_get(opts, "ring", text, sizeof text), TC_E_NOT_FOUND);
    tc_options_destroy(opts);
    tc_options_destroy(NULL);
}

TEST_WITH(what_was_meant_is_said, clear_environment, clear_environment)
{
    static const char *const pairs[][2] = {{"TC_DELIVRY", "TC_DELIVERY"},
                                           {"TC_RINGBYTES", "TC_RING_BYTES"},
                                           {"TC_ring_bytes", "TC_RING_BYTES"},
                                           {"TC_LOGLEVEL", "TC_LOG_LEVEL"},
                                           {"TC_CONECT_TIMOUT", "TC_CONNECT_TIMEOUT"}};
    static const char *const strangers[] = {"TC_DELIVERY", "TC_LOG_LEVEL", "TC_HOST_BUILD",
                                            "TC_",         "UCX_DELIVRY",  "DELIVRY"};
    tc_options *opts = create_options();
    tc_error err;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        assert_string_equal(tci_option_names_meant(pairs[i][0]), pairs[i][1]);
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
        assert_null(tci_option_names_meant(strangers[i]));
    assert_status(tc_options_set(opts, "ringbytes", "4K", &err), TC_E_NOT_FOUND);
    assert_string_equal(err.text, "no option named 'ringbytes'; there is ring_bytes");
    assert_status(tc_options_set(opts, "something_else", "4K", &err), TC_E_NOT_FOUND);
    assert_string_equal(err.text, "no option named 'something_else'");
    tc_options_destroy(opts);
}
