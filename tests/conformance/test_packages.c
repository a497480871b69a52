/* Packages: functions that are opened, sent ahead and found together, with the senders that the
 * generated header has for them; and the same functions as a library of the target's own. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "ledger.h"

#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/package.h>

typedef struct desk {
    pair pair;
    ledger_book book; /* the target's */
    tc_package *package;
    tc_package *local; /* of the target; NULL: it runs the sent code */
    tc_error error;
} desk;

static const char *place_of(const char *file)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", getenv("TC_IFUNC_PATH"), file);
    return path;
}

static void open_desk(desk *d)
{
    memset(d, 0, sizeof *d);
    pair_open(&d->pair, NULL);
    pair_pause(&d->pair);
    tc_context_set_target_args(d->pair.target, &d->book);
    pair_resume(&d->pair);
    must(ledger_package_open(d->pair.source, place_of("ledger.tcp"), &d->package, &d->error),
         &d->error, "ledger.tcp");
}

static void use_local(desk *d)
{
    pair_pause(&d->pair);
    must(tc_package_use_local(d->pair.target, place_of("libledger-local.so"), &d->local,
                              &d->error),
         &d->error, "libledger-local.so");
    pair_resume(&d->pair);
}

static void close_desk(desk *d)
{
    tc_package_close(d->package);
    pair_pause(&d->pair);
    tc_package_close(d->local);
    pair_resume(&d->pair);
    pair_close(&d->pair);
}

static void send_all(desk *d)
{
    const struct ledger_entry entries[] = {{1, 100}, {2, 50}, {1, -30}, {9, 1000}};
    const struct ledger_question question = {1, 2};
    int64_t total = 0;
    size_t size = sizeof total;
    assert_ok(ledger_send_deposit(d->package, d->pair.ep, entries, 4));
    assert_ok(ledger_send_note(d->package, d->pair.ep, "rent", 4));
    must(ledger_call_total(d->package, d->pair.ep, &question, &total, &size, PAIR_TIMEOUT_NS,
                           &d->error),
         &d->error, "total");
    assert_int_equal(size, sizeof total);
    assert_int_equal(total, 120);
    pair_pause(&d->pair);
    assert_int_equal(d->book.deposits, 1);
    assert_int_equal(d->book.amounts[9], 1000);
    assert_int_equal(d->book.notes, 1);
    assert_string_equal(d->book.last_note, "RENT");
    pair_resume(&d->pair);
}

TEST(elements_are_found_by_number_and_by_name)
{
    static const struct {
        uint32_t number;
        const char *name;
    } expected[] = {{10, "deposit"}, {20, "note"}, {30, "total"}};
    uint8_t id[TC_PACKAGE_ID_BYTES];
    desk d;
    open_desk(&d);
    assert_string_equal(tc_package_name(d.package), "ledger");
    tc_package_id(d.package, id);
    assert_memory_equal(id, ledger_package_id(), sizeof id);
    assert_int_equal(tc_package_count(d.package), 3);
    for (size_t i = 0; i < 3; i++) {
        tc_ifunc *fn = tc_package_ifunc(d.package, expected[i].number);
        assert_int_equal(tc_package_number(d.package, i), expected[i].number);
        assert_non_null(fn);
        assert_string_equal(tc_ifunc_name(fn), expected[i].name);
        assert_ptr_equal(tc_package_find(d.package, expected[i].name), fn);
    }
    assert_int_equal(ledger_id_note, 20);
    assert_int_equal(tc_package_number(d.package, 3), 0);
    assert_null(tc_package_ifunc(d.package, 11));
    assert_null(tc_package_find(d.package, "withdraw"));
    close_desk(&d);
}

static void on_desk(void (*test)(desk *d))
{
    desk d;
    open_desk(&d);
    test(&d);
    close_desk(&d);
}

#define DESK_TEST(name) TEST_BY(on_desk, name, desk *d)

DESK_TEST(all_elements_are_sent_ahead_by_one_call)
{
    must(tc_package_prepare(d->pair.ep, d->package, PAIR_TIMEOUT_NS, &d->error), &d->error,
         "prepare");
    send_all(d);
    assert_int_equal(d->book.local, 0);
}

DESK_TEST(messages_bring_the_code_themselves)
{
    must(tc_package_prepare(d->pair.ep, d->package, 0, &d->error), &d->error, "prepare");
    send_all(d);
}

/* Also the one with payload functions. */
DESK_TEST(the_targets_own_functions_run_instead)
{
    use_local(d);
    send_all(d);
    assert_int_equal(d->book.local, 3);
}

/* A source with the library compiles nothing, and its payloads are the same. */
DESK_TEST(a_source_makes_payloads_with_its_own_functions)
{
    tc_package_close(d->package);
    must(tc_package_use_local(d->pair.source, place_of("libledger-local.so"), &d->package,
                              &d->error),
         &d->error, "libledger-local.so");
    send_all(d);
    assert_int_equal(d->book.local, 0);
}

/* The function that messages run is the package's or the library's. */
static void check_prototypes(desk *d, const tc_package *package)
{
    static const char own[] = "({u32,u32})->i64";
    static const char *const others[] = {"({i32,i32})->i64", "({u32,u32})->f64",
                                         "(u32[],u32)->i64"};
    tc_ifunc *total = tc_package_ifunc(package, ledger_id_total);
    assert_string_equal(tc_ifunc_prototype(total), own);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_status(tc_ifunc_check_prototype(total, others[i], &d->error), TC_E_VERSION);
        assert_non_null(strstr(d->error.text, own));
        assert_non_null(strstr(d->error.text, others[i]));
    }
    must(tc_ifunc_check_prototype(total, own, &d->error), &d->error, own);
    assert_null(tc_ifunc_prototype(tc_package_ifunc(package, ledger_id_note)));
}

DESK_TEST(functions_of_a_package_have_prototypes)
{
    check_prototypes(d, d->package);
    send_all(d);
}

DESK_TEST(so_have_those_of_its_library)
{
    use_local(d);
    check_prototypes(d, d->local);
    check_prototypes(d, d->package);
    tc_package_close(d->package);
    must(tc_package_use_local(d->pair.source, place_of("libledger-local.so"), &d->package,
                              &d->error),
         &d->error, "libledger-local.so");
    check_prototypes(d, d->package);
    send_all(d);
    assert_int_equal(d->book.local, 3);
}

DESK_TEST(a_function_that_was_loaded_is_not_replaced)
{
    send_all(d);
    pair_pause(&d->pair);
    assert_status(tc_package_use_local(d->pair.target, place_of("libledger-local.so"),
                                       &d->local, &d->error),
                  TC_E_INVALID);
    assert_non_null(strstr(d->error.text, "it was loaded already"));
    assert_null(d->local);
    pair_resume(&d->pair);
}

DESK_TEST(the_header_of_another_package_is_refused)
{
    uint8_t older[TC_PACKAGE_ID_BYTES];
    tc_package *package = NULL;
    memcpy(older, ledger_package_id(), sizeof older);
    older[3] ^= 1;
    assert_status(
        tc_package_open(d->pair.source, place_of("ledger.tcp"), older, &package, &d->error),
        TC_E_VERSION);
    assert_non_null(strstr(d->error.text, "ledger.h made with this package"));
    assert_null(package);
}

/* Each element has code for the other architecture only. */
DESK_TEST(what_has_no_code_for_the_target_is_refused)
{
    tc_package *foreign;
    must(tc_package_open(d->pair.source, place_of("foreign_ledger.tcp"), NULL, &foreign,
                         &d->error),
         &d->error, "foreign_ledger.tcp");
    assert_status(tc_package_prepare(d->pair.ep, foreign, PAIR_TIMEOUT_NS, &d->error),
                  TC_E_REFUSED);
    if (strncmp(d->error.text, "deposit: ", 9) != 0 ||
        strstr(d->error.text, "no bitcode for ") == NULL)
        fail_msg("%s", d->error.text);
    send_all(d); /* of the other package */
    tc_package_close(foreign);
}

TEST(what_is_no_package_is_refused)
{
    static const struct {
        const char *file;
        tc_status status;
        const char *text;
    } wrong[] = {
        {"nothing.tcp", TC_E_NOT_FOUND, "nothing.tcp"},
        {"check.tca", TC_E_CORRUPT, "expected 'TCP'"},
    };
    tc_package *package = NULL;
    desk d;
    open_desk(&d);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tc_status status =
            tc_package_open(d.pair.source, place_of(wrong[i].file), NULL, &package, &d.error);
        assert_int_equal(status, wrong[i].status);
        assert_non_null(strstr(d.error.text, wrong[i].text));
    }
    assert_status(tc_package_open(d.pair.source, NULL, NULL, &package, &d.error), TC_E_INVALID);
    assert_non_null(strstr(d.error.text, "the path is NULL"));
    assert_status(
        tc_package_use_local(d.pair.source, place_of("libnone-local.so"), &package, &d.error),
        TC_E_NOT_FOUND);
    assert_status(tc_package_use_local(d.pair.source, "libm.so.6", &package, &d.error),
                  TC_E_CORRUPT);
    assert_non_null(strstr(d.error.text, "tc_package_local"));
    assert_null(package);
    close_desk(&d);
}

static void nothing(void *payload, size_t payload_size, void *target_args)
{
    (void)payload, (void)payload_size, (void)target_args;
}

static size_t no_bytes(void *source_args, size_t source_args_size)
{
    (void)source_args, (void)source_args_size;
    return 0;
}

DESK_TEST(local_functions_are_those_of_the_archive)
{
    tc_ifunc *note = tc_package_ifunc(d->package, ledger_id_note);
    tc_ifunc *total = tc_package_ifunc(d->package, ledger_id_total);
    assert_status(tc_ifunc_use_local(note, nothing, &d->error), TC_E_INVALID);
    assert_non_null(strstr(d->error.text, "tc_ifunc_use_local_entries"));
    assert_status(tc_ifunc_use_local_entries(note, nothing, no_bytes, NULL, &d->error),
                  TC_E_INVALID);
    assert_non_null(strstr(d->error.text, "no payload_init were given"));
    assert_status(tc_ifunc_use_local_entries(total, nothing, no_bytes, NULL, &d->error),
                  TC_E_INVALID);
    assert_status(tc_ifunc_use_local_entries(total, NULL, NULL, NULL, &d->error), TC_E_INVALID);
    must(tc_ifunc_use_local_entries(total, nothing, NULL, NULL, &d->error), &d->error, "total");
}
