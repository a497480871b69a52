/* The library without any module: it links, messages run, and what needs a module says so. */
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/abi.h>
#include <tc/advanced.h>
#include <tc/cache.h>
#include <tc/call.h>
#include <tc/code.h>
#include <tc/endpoint.h>
#include <tc/group.h>
#include <tc/ifunc.h>
#include <tc/library.h>
#include <tc/loader.h>
#include <tc/package.h>
#include <tc/thread.h>
#include <tc/task_sync.h>
#include <tc/window_view.h>

#define TIMEOUT_NS 60000000000ull

static unsigned runs;
static size_t bytes_seen;

static void count(void *payload, size_t size, void *target_args)
{
    const unsigned char *bytes = payload;
    (void)target_args;
    runs++;
    bytes_seen += size;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != (unsigned char)(i / 3))
            fail_msg("byte %zu of %zu is %u", i, size, bytes[i]);
    }
}

/* Connects a context to itself. */
static tc_ep *connect_to_self(tc_context *ctx)
{
    char host_port[32];
    tc_listener *listener;
    tc_ep *ep;
    tc_error error = {0};
    must(tc_listener_open(ctx, "127.0.0.1:0", &listener, &error), &error, "listener");
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u", tc_listener_port(listener));
    must(tc_ep_connect(ctx, host_port, TIMEOUT_NS, &ep, &error), &error, "connect");
    return ep;
}

static tc_ifunc *open_archive(tc_context *ctx)
{
    tc_ifunc *fn;
    tc_error error = {0};
    must(tc_ifunc_open_code(ctx, &(tc_code){.path = TEST_ARCHIVE}, &fn, &error), &error,
         "open");
    return fn;
}

/* Small messages, more of them than a ring holds, and large ones between them. */
static void messages_run_by(const char *const *options, const char *delivery)
{
    static const size_t sizes[] = {1, 100, 4000, 40000, 300000, 1500000};
    tc_context *ctx = test_context(options);
    tc_ep *ep = connect_to_self(ctx);
    tc_ifunc *fn = open_archive(ctx);
    tc_ep_info info;
    tc_error error = {0};
    unsigned sent = 0;
    size_t bytes_sent = 0;
    unsigned char *payload = malloc(sizes[5]);
    assert_non_null(payload);
    for (size_t i = 0; i < sizes[5]; i++)
        payload[i] = (unsigned char)(i / 3);
    runs = 0;
    bytes_seen = 0;
    tc_ep_query(ep, &info);
    assert_string_equal(info.delivery, delivery);
    assert_string_equal(info.peer_ucx, "none");
    must(tc_ifunc_use_local(fn, count, &error), &error, "use_local");
    for (; sent < 3000; sent++) {
        size_t size = sent % 100 == 0 ? sizes[sent / 100 % 6] : sizes[sent % 2];
        must(tc_send_wait(ep, fn, payload, size, TIMEOUT_NS, &error), &error, "send");
        bytes_sent += size;
    }
    must(tc_ep_flush(ep, TIMEOUT_NS, &error), &error, "flush");
    assert_int_equal(runs, sent);
    assert_int_equal(bytes_seen, bytes_sent);
    free(payload);
    tc_ep_close(ep);
    tc_context_destroy(ctx);
}

static void messages_run(void **state)
{
    messages_run_by(NULL, "direct");
    messages_run_by((const char *const[]){"payload", "readonly", NULL}, "direct");
    messages_run_by((const char *const[]){"delivery", "direct", NULL}, "direct");
}

static void messages_run_over_the_connection(void **state)
{
    messages_run_by((const char *const[]){"delivery", "stream", NULL}, "stream");
    messages_run_by((const char *const[]){"delivery", "stream", "payload", "readonly", NULL},
                    "stream");
    /* There is no memory for a ring that peers map. */
    messages_run_by((const char *const[]){"ring_memory_max", "0", NULL}, "stream");
}

/* The function's code has come, and there is nothing to load it with. */
static void code_is_refused(void **state)
{
    tc_context *ctx = test_context(NULL);
    tc_ep *ep = connect_to_self(ctx);
    tc_ifunc *fn = open_archive(ctx);
    tc_error error = {0};
    assert_int_equal(tc_ep_prepare(ep, fn, TIMEOUT_NS, &error), TC_E_REFUSED);
    if (strstr(error.text, "running functions needs the module engine") == NULL)
        fail_msg("%s", error.text);
    tc_ep_close(ep);
    tc_context_destroy(ctx);
}

static void bitcode_of_a_program_is_not_opened(void **state)
{
    const tc_bitcode slice = {.triple = "x86_64-linux", .bytes = "BC", .size = 2};
    const tc_code code = {.name = "any", .slices = &slice, .slice_count = 1};
    tc_context *ctx = test_context(NULL);
    tc_ifunc *fn;
    tc_error error = {0};
    assert_int_equal(tc_ifunc_open_code(ctx, &code, &fn, &error), TC_E_UNSUPPORTED);
    if (strstr(error.text, "tc_code.slices) needs the module engine") == NULL)
        fail_msg("%s", error.text);
    tc_context_destroy(ctx);
}

static void injected_code_is_not_sent(void **state)
{
    tc_context *ctx = test_context(NULL);
    tc_ep *ep = connect_to_self(ctx);
    tc_ifunc *fn = open_archive(ctx);
    tc_error error = {0};
    assert_int_equal(tc_send_injected(ep, fn, "x", 1), TC_E_UNSUPPORTED);
    assert_int_equal(tc_send_error(ctx, &error), TC_E_UNSUPPORTED);
    if (strstr(error.text, "tc_send_injected needs the module injected") == NULL)
        fail_msg("%s", error.text);
    tc_ep_close(ep);
    tc_context_destroy(ctx);
}

static void holes_are_not_filled(void **state)
{
    const tc_hole_value value = {"any", "x", 1, TC_HOLE_BYTES};
    tc_context *ctx = test_context(NULL);
    tc_ifunc *fn = open_archive(ctx), *filled;
    tc_error error = {0};
    assert_int_equal(tc_ifunc_fill(fn, &value, 1, &filled, &error), TC_E_UNSUPPORTED);
    if (strstr(error.text, "tc_ifunc_fill_sized needs the module holes") == NULL)
        fail_msg("%s", error.text);
    tc_context_destroy(ctx);
}

/* The option's value is in the text where other values need no module. */
static const char *const needing[][4] = {
    {"delivery", "am", "ucx", "delivery=am"},
    {"delivery", "put", "ucx", "delivery=put"},
    {"network", "yes", "ucx", "network=yes"},
    {"quota_connections", "1", "limits"},
    {"quota_functions", "1", "limits"},
    {"quota_code_bytes", "1K", "limits"},
    {"quota_compile_time", "1s", "limits"},
    {"quota_queue_bytes", "1K", "limits"},
    {"quota_message_rate", "1", "limits"},
    {"quota_tasks", "1", "limits"},
    {"call_time_max", "1s", "limits"},
    {"audit", "log", "limits"},
    {"symbols", "@/nonexistent", "engine"},
    {"trust", "/nowhere", "trust"},
    {"require_signature", "yes", "trust"},
    {"code_allow", "@/nowhere", "trust"},
    {"code_revoked", "@/nowhere", "trust"},
};

static void an_option_names_its_module(void **state)
{
    for (size_t i = 0; i < sizeof needing / sizeof needing[0]; i++) {
        tc_options *options;
        tc_context *ctx;
        tc_error error = {0};
        char text[128];
        must(tc_options_create(&options, &error), &error, "options");
        must(tc_options_set(options, needing[i][0], needing[i][1], &error), &error, "set");
        assert_int_equal(tc_context_create(options, &ctx, &error), TC_E_UNSUPPORTED);
        (void)snprintf(text, sizeof text, "option %s needs the module %s",
                       needing[i][3] != NULL ? needing[i][3] : needing[i][0], needing[i][2]);
        if (strstr(error.text, text) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", error.text, text);
        tc_options_destroy(options);
    }
}

static void never_called(void *user, const tc_long_call *call)
{
    (void)user;
    fail_msg("%s", call->function);
}

static void keys_cannot_be_read_again(void **state)
{
    tc_context *ctx = test_context(NULL);
    tc_error error = {0};
    assert_int_equal(tc_context_reload_trust(ctx, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "needs the module trust"));
    tc_context_destroy(ctx);
}

static void calls_and_groups_say_what_is_missing(void **state)
{
    tc_context *ctx = test_context(NULL);
    tc_group *group = NULL;
    tc_error error = {0};
    assert_int_equal(tc_group_join(ctx, 0, &group, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tc_group_join needs the module calls"));
    assert_int_equal(tc_call(NULL, NULL, NULL, 0, NULL, NULL, 0, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tc_call needs the module calls"));
    assert_int_equal(tc_call_count(ctx), 0);
    assert_int_equal(tc_calls_wait(ctx, 0), TC_OK);
    tc_context_destroy(ctx);
}

static void threads_of_the_library_say_what_is_missing(void **state)
{
    tc_context *ctx = test_context(NULL);
    tc_error error = {0};
    assert_int_equal(tc_context_start_thread(ctx, NULL, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "needs the module serving"));
    assert_int_equal(tc_context_lock(ctx, TIMEOUT_NS, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tc_context_lock needs the module serving"));
    tc_context_unlock(ctx);
    assert_int_equal(tc_context_stop_thread(ctx, &error), TC_OK);
    tc_context_destroy(ctx);
}

static void addresses_and_objects_of_ucx_say_what_is_missing(void **state)
{
    tc_context *ctx = test_context(NULL), *other;
    tc_ep *ep;
    size_t size = 1;
    tc_error error = {0};
    assert_non_null(tc_context_address(ctx, &size));
    assert_int_equal(size, 0);
    assert_int_equal(tc_ep_connect_address(ctx, "", 0, TIMEOUT_NS, &ep, &error),
                     TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tc_ep_connect_address needs the module ucx"));
    assert_int_equal(
        tc_context_create_on_ucx_for(TC_VERSION_NUMBER, NULL, NULL, 0, &other, &error),
        TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "needs the module ucx"));
    tc_context_destroy(ctx);
}

static void the_version_says_that_there_is_no_ucx(void **state)
{
    tc_version_info info;
    tc_version_query(&info);
    assert_string_equal(info.ucx, "none");
}

static void libraries_and_packages_say_what_is_missing(void **state)
{
    tc_context *ctx = test_context(NULL);
    tc_library *library;
    tc_package *package;
    tc_error error = {0};
    assert_int_equal(tc_library_open(ctx, "any", &library, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tc_library_open needs the module libraries"));
    assert_int_equal(tc_package_open(ctx, "any.tcp", NULL, &package, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tc_package_open needs the module libraries"));
    assert_int_equal(tc_library_list(ctx, NULL, 0), 0);
    tc_context_destroy(ctx);
}

static void an_archive_with_a_dictionary_is_refused(void **state)
{
    tc_context *ctx = test_context(NULL);
    tc_ifunc *fn;
    tc_error error = {0};
    assert_int_equal(tc_ifunc_open_code(ctx, &(tc_code){.path = TEST_PACKED}, &fn, &error),
                     TC_E_UNSUPPORTED);
    if (strstr(error.text, "needs the module dictionaries") == NULL)
        fail_msg("%s", error.text);
    tc_context_destroy(ctx);
}

static void loaders_and_the_cache_say_what_is_missing(void **state)
{
    tc_loader *loader;
    tc_cache_totals totals;
    tc_error error = {0};
    char text[8] = "old";
    assert_int_equal(tc_loader_create(NULL, NULL, 0, &loader, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tc_loader_create_sized needs the module engine"));
    assert_int_equal(tc_cache_clear(NULL, &totals, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "needs the module engine"));
    assert_int_equal(tc_code_name(text, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static void windows_say_what_is_missing(void **state)
{
    tc_context *ctx = test_context(NULL);
    const tc_window_params params = {.memory = state, .bytes = 1, .rights = TC_WINDOW_READ};
    const tc_window_view *view = NULL;
    tc_gptr at = {.generation = 1};
    tc_error error = {0};
    char byte;
    assert_int_equal(tc_window_open(ctx, &params, &at, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tc_window_open_sized needs the module windows"));
    assert_int_equal(tc_window_close(ctx, at), TC_E_NOT_FOUND);
    tc_ep *ep = connect_to_self(ctx);
    assert_int_equal(tc_window_get(ep, at, &byte, 1, 0, &error), TC_E_UNSUPPORTED);
    assert_int_equal(tc_window_put_start(ep, at, "x", 1, NULL, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "needs the module windows"));
    assert_int_equal(tc_window_map(ep, at, 0, &view, &error), TC_E_UNSUPPORTED);
    assert_int_equal(tc_window_unmap(ctx, view), TC_E_NOT_FOUND);
    assert_null(tc_window_memory(ctx, at));
    tc_context_destroy(ctx);
}

static void note_bytes(void *payload, size_t size, void *args)
{
    *(size_t *)args += size + *(const uint8_t *)payload;
}

static void functions_do_not_wait(void **state)
{
    tc_context *ctx = test_context(NULL);
    size_t sum = 0;
    uint8_t two = 2;
    (void)state;
    tc_task_run(note_bytes, NULL, &two, 1, &sum);
    assert_int_equal(sum, 3);
    assert_int_equal(tc_task_sleep(1), TC_E_BUSY);
    assert_int_equal(tc_task_count(ctx), 0);
    tc_task_lock lock = {.context = ctx};
    tc_task_condition condition = {.context = ctx};
    tc_task_semaphore semaphore = {.context = ctx, .count = 1};
    assert_int_equal(tc_task_lock_acquire(&lock, 0), TC_E_BUSY);
    assert_int_equal(tc_task_lock_release(&lock), TC_E_BUSY);
    assert_int_equal(tc_task_condition_wait(&condition, &lock, 0), TC_E_BUSY);
    assert_int_equal(tc_task_condition_signal(&condition, 1), TC_E_BUSY);
    assert_int_equal(tc_task_semaphore_acquire(&semaphore, 0), TC_E_BUSY);
    assert_int_equal(tc_task_semaphore_release(&semaphore, 1), TC_E_BUSY);
    assert_int_equal(tc_task_enter(1), TC_E_BUSY);
    assert_int_equal(tc_task_leave(1), TC_E_BUSY);
    assert_int_equal(tc_task_forget(ctx, 1), TC_E_BUSY);
    tc_context_destroy(ctx);
}

/* As where the options are off. */
static void calls_of_a_module_do_nothing(void **state)
{
    tc_context *ctx = test_context(NULL);
    tc_context_set_long_call_callback(ctx, never_called, NULL);
    assert_int_equal(tc_context_reopen_audit(ctx, NULL), TC_OK);
    tc_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_run),
        cmocka_unit_test(messages_run_over_the_connection),
        cmocka_unit_test(code_is_refused),
        cmocka_unit_test(bitcode_of_a_program_is_not_opened),
        cmocka_unit_test(injected_code_is_not_sent),
        cmocka_unit_test(holes_are_not_filled),
        cmocka_unit_test(an_option_names_its_module),
        cmocka_unit_test(calls_and_groups_say_what_is_missing),
        cmocka_unit_test(threads_of_the_library_say_what_is_missing),
        cmocka_unit_test(addresses_and_objects_of_ucx_say_what_is_missing),
        cmocka_unit_test(the_version_says_that_there_is_no_ucx),
        cmocka_unit_test(libraries_and_packages_say_what_is_missing),
        cmocka_unit_test(an_archive_with_a_dictionary_is_refused),
        cmocka_unit_test(loaders_and_the_cache_say_what_is_missing),
        cmocka_unit_test(keys_cannot_be_read_again),
        cmocka_unit_test(windows_say_what_is_missing),
        cmocka_unit_test(functions_do_not_wait),
        cmocka_unit_test(calls_of_a_module_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
