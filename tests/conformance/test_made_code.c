/* Functions that open code: an archive or bitcode that came with their message. The programs of
 * these tests link the library statically, so the symbols of such a function come from the
 * library's table alone. */
#include "../shipped/maker.h"
#include "../shipped/travel.h"
#include "../support/signing.h"
#include "../support/team.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "archive.h"
#include "archive_file.h"
#include "context/context_object.h"
#include "modules/trust/trust.h"

#include <dlfcn.h>
#include <tc/call.h>

enum { MEMBERS = 3, MESSAGE_MAX = 1 << 16 };

/* A message of the maker as it grows. */
typedef struct message {
    uint8_t bytes[MESSAGE_MAX];
    size_t size;
} message;

static void add(message *m, const void *bytes, size_t size)
{
    assert_true(size <= sizeof m->bytes - m->size);
    if (size > 0)
        memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static void begin(message *m, maker_order order, const void *code, size_t code_bytes)
{
    m->size = 0;
    order.code_bytes = code_bytes;
    add(m, &order, sizeof order);
    add(m, code, code_bytes);
}

static void read_shipped(const char *file, void **bytes_out, size_t *size_out)
{
    char path[512];
    tc_error error = {0};
    (void)snprintf(path, sizeof path, "%s/%s", getenv("TC_IFUNC_PATH"), file);
    must(tci_archive_file_read(path, MESSAGE_MAX, bytes_out, size_out, &error), &error, file);
}

/* A function's bitcode for this machine. */
static void read_bitcode(const char *name, void **bytes_out, size_t *size_out)
{
    tci_archive *archive;
    char file[64];
    void *bytes;
    size_t size, slice;
    (void)snprintf(file, sizeof file, "%s.tca", name);
    read_shipped(file, &bytes, &size);
    must(tci_archive_open(bytes, size, &archive, NULL), NULL, file);
    must(tci_archive_select(archive, tci_triple_host(), &slice, NULL), NULL, file);
    must(tci_archive_extract(archive, slice, bytes_out, size_out, NULL), NULL, file);
    tci_archive_close(archive);
    free(bytes);
}

static maker_order of_bitcode(maker_task task, uint32_t rank, const char *name)
{
    maker_order order = {.task = (uint32_t)task, .rank = rank};
    (void)snprintf(order.name, sizeof order.name, "%s", name);
    (void)snprintf(order.triple, sizeof order.triple, "%s", tci_triple_host());
    return order;
}

typedef struct making {
    team team;
    tc_ifunc *maker;
    message message;
} making;

static making *making_begin(const char *const *options)
{
    making *m = calloc(1, sizeof *m);
    tc_error error = {0};
    assert_non_null(m);
    team_open(&m->team, MEMBERS, options);
    must(tc_ifunc_open(m->team.contexts[0], "maker", &m->maker, &error), &error, "maker");
    return m;
}

static void making_end(making *m)
{
    team_close(&m->team);
    free(m);
}

static tc_status call_maker(making *m, void *result, size_t *size, tc_error *error)
{
    memset(error, 0, sizeof *error);
    return tc_call(team_ep(&m->team, 1), m->maker, m->message.bytes, m->message.size, result,
                   size, TEAM_TIMEOUT_NS, error);
}

/* The function `travel`, opened at rank 1, reports where it ran. */
static void expect_travels(making *m, uint32_t rank, uint32_t hops)
{
    const travel_order there = {.task = TRAVEL_TO, .rank = rank};
    travel_place place = {.rank = TC_RANK_NONE};
    size_t size = sizeof place;
    tc_error error;
    add(&m->message, &there, sizeof there);
    if (call_maker(m, &place, &size, &error) != TC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(size, sizeof place);
    assert_int_equal(place.rank, rank);
    assert_int_equal(place.origin, 0);
    assert_int_equal(place.hops, hops);
}

static void expect_failure(making *m, tc_status expected, const char *text)
{
    tc_error error;
    tc_status status = call_maker(m, NULL, NULL, &error);
    if (status != expected || strstr(error.text, text) == NULL)
        fail_msg("%s, '%s'; expected %s, '%s'", tc_status_name(status), error.text,
                 tc_status_name(expected), text);
}

static void expect_well(making *m)
{
    void *bytes;
    size_t size;
    read_shipped("travel.tca", &bytes, &size);
    begin(&m->message, (maker_order){.task = MAKER_MEMORY, .rank = 1}, bytes, size);
    expect_travels(m, 1, 1);
    free(bytes);
}

/* --- successes -------------------------------------------------------------------------- */

/* dlsym finds nothing of the library here. */
TEST(the_library_is_linked_statically)
{
    assert_null(dlsym(RTLD_DEFAULT, "tc_ifunc_open_memory"));
    assert_null(dlsym(RTLD_DEFAULT, "tc_forward_function"));
}

TEST(an_archive_is_opened_and_gets_the_call)
{
    making *m = making_begin(NULL);
    void *bytes;
    size_t size;
    read_shipped("travel.tca", &bytes, &size);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t rank = 0; rank < MEMBERS; rank++) {
            begin(&m->message, (maker_order){.task = MAKER_MEMORY, .rank = rank}, bytes, size);
            expect_travels(m, rank, 1);
        }
    }
    free(bytes);
    making_end(m);
}

TEST(bitcode_is_opened_and_gets_the_call)
{
    making *m = making_begin(NULL);
    void *bytes;
    size_t size;
    read_bitcode("travel", &bytes, &size);
    for (uint32_t round = 0; round < 3; round++) {
        /* At the node that made it, and at another one, where it goes on as any function. */
        begin(&m->message, of_bitcode(MAKER_BITCODE, 1, "travel"), bytes, size);
        expect_travels(m, 2, 2);
        begin(&m->message, of_bitcode(MAKER_BITCODE, 2, "travel"), bytes, size);
        expect_travels(m, 0, 2);
    }
    free(bytes);
    making_end(m);
}

TEST(made_functions_are_sent_and_called)
{
    static const maker_task tasks[] = {MAKER_SEND, MAKER_CALL};
    making *m = making_begin(NULL);
    const travel_order count = {.task = TRAVEL_COUNT};
    tc_error error;
    void *bytes;
    size_t size;
    uint64_t counted = 0;
    read_shipped("travel.tca", &bytes, &size);
    for (size_t i = 0; i < 2; i++) {
        tc_status said = TC_E_IO;
        size_t said_bytes = sizeof said;
        begin(&m->message, (maker_order){.task = (uint32_t)tasks[i], .rank = 2}, bytes, size);
        add(&m->message, &count, sizeof count);
        assert_ok(call_maker(m, &said, &said_bytes, &error));
        assert_ok(said);
    }
    for (int turn = 0; turn < 2000 && counted < 3; turn++) {
        size_t counted_bytes = sizeof counted;
        must(tc_call(team_ep(&m->team, 2), m->team.fn, &count, sizeof count, &counted,
                     &counted_bytes, TEAM_TIMEOUT_NS, &error),
             &error, "count");
    }
    assert_true(counted >= 3); /* two of others than this call */
    free(bytes);
    making_end(m);
}

TEST(calls_that_wait_say_that_they_do_not)
{
    making *m = making_begin(NULL);
    int32_t said[MAKER_WAITS] = {0};
    size_t size = sizeof said;
    tc_error error;
    begin(&m->message, (maker_order){.task = MAKER_WAIT}, NULL, 0);
    must(call_maker(m, said, &size, &error), &error, "maker");
    assert_int_equal(size, sizeof said);
    for (size_t i = 0; i < MAKER_WAITS; i++)
        assert_status(said[i], TC_E_BUSY);
    begin(&m->message, (maker_order){.task = MAKER_NOTHING}, NULL, 0);
    size = sizeof said[0];
    must(call_maker(m, said, &size, &error), &error, "maker");
    assert_status(said[0], TC_E_INVALID);
    making_end(m);
}

/* --- failures ----------------------------------------------------------------------- */

TEST(bytes_that_are_no_archive_are_refused_where_they_are_opened)
{
    making *m = making_begin(NULL);
    begin(&m->message, (maker_order){.task = MAKER_MEMORY, .rank = 1}, "no archive at all", 17);
    expect_failure(m, TC_E_CORRUPT, "expected 'TCA'");
    begin(&m->message, of_bitcode(MAKER_BITCODE, 1, "not a name"), "x", 1);
    expect_failure(m, TC_E_INVALID, "not a name");
    begin(&m->message, of_bitcode(MAKER_BITCODE, 1, "empty"), "", 0);
    expect_failure(m, TC_E_INVALID, "");
    expect_well(m);
    making_end(m);
}

TEST(bitcode_that_does_not_verify_is_refused_and_harms_nothing)
{
    making *m = making_begin(NULL);
    void *bytes, *good;
    size_t size, good_bytes;
    read_shipped("unverified.bc", &bytes, &size);
    read_bitcode("travel", &good, &good_bytes);
    for (uint32_t rank = 1; rank < MEMBERS; rank++) {
        begin(&m->message, of_bitcode(MAKER_BITCODE, rank, "unverified"), bytes, size);
        expect_failure(m, TC_E_COMPILE, "does not dominate");
        /* The second time it is known. */
        expect_failure(m, TC_E_REFUSED, "refused");
        begin(&m->message, of_bitcode(MAKER_BITCODE, rank, "cut"), good, good_bytes / 2);
        expect_failure(m, TC_E_COMPILE, "cut: bitcode");
        begin(&m->message, of_bitcode(MAKER_BITCODE, rank, "other"), good, good_bytes);
        expect_failure(m, TC_E_CORRUPT, "other_main");
        expect_well(m);
    }
    free(bytes);
    free(good);
    making_end(m);
}

/* Rank 1 has space for two, and slots hold both. */
TEST(functions_that_are_opened_count)
{
    making *m = making_begin((const char *const[]){"functions_max", "2", NULL});
    const travel_order none = {.task = TRAVEL_NOTHING};
    tc_error error;
    void *bytes;
    size_t size;
    must(tc_call(team_ep(&m->team, 1), m->team.fn, &none, sizeof none, NULL, NULL,
                 TEAM_TIMEOUT_NS, &error),
         &error, "travel");
    read_bitcode("travel", &bytes, &size);
    begin(&m->message, of_bitcode(MAKER_BITCODE, 1, "travel"), bytes, size);
    expect_failure(m, TC_E_TOO_LARGE, "functions_max");
    free(bytes);
    expect_well(m); /* of functions already open */
    making_end(m);
}

/* A node's messages to itself count for the unauthenticated identity. */
TEST(quotas_hold_for_made_code)
{
    making *m = making_begin((const char *const[]){"quota_functions", "1", NULL});
    void *bytes, *archive;
    size_t size, archive_bytes;
    read_bitcode("travel", &bytes, &size);
    read_shipped("travel.tca", &archive, &archive_bytes);
    begin(&m->message, of_bitcode(MAKER_BITCODE, 1, "travel"), bytes, size);
    expect_travels(m, 1, 1);
    begin(&m->message, (maker_order){.task = MAKER_MEMORY, .rank = 1}, archive, archive_bytes);
    expect_failure(m, TC_E_TOO_LARGE, "quota_functions");
    begin(&m->message, of_bitcode(MAKER_BITCODE, 1, "travel"), bytes, size);
    expect_travels(m, 1, 1);
    free(bytes);
    free(archive);
    making_end(m);
}

/* --- signatures -------------------------------------------------------------------------- */

typedef struct signed_making {
    signing keys;
    making *making;
} signed_making;

static signed_making *signed_begin(const char *required)
{
    signed_making *s = calloc(1, sizeof *s);
    assert_non_null(s);
    signing_make(&s->keys);
    signing_trust(&s->keys, "alice", &s->keys.alice, "");
    making *m = s->making = calloc(1, sizeof *m);
    assert_non_null(m);
    /* Rank 0 opens unsigned code. */
    team_open(&m->team, MEMBERS,
              (const char *const[]){"trust", s->keys.trust, "require_signature", "yes", NULL});
    m->maker = signing_open_by(m->team.contexts[0], "maker", &s->keys.alice);
    team_pause(&m->team);
    for (uint32_t rank = 1; rank < MEMBERS; rank++)
        tci_trust_of(&m->team.contexts[rank]->core.registry)->required =
            strcmp(required, "all") == 0 ? TCI_SIGNATURE_ALL : TCI_SIGNATURE_YES;
    team_resume(&m->team);
    return s;
}

static void signed_end(signed_making *s)
{
    making_end(s->making);
    signing_remove(&s->keys);
    free(s);
}

TEST(made_code_that_nobody_signed_does_not_run_where_that_is_asked_for)
{
    signed_making *s = signed_begin("yes");
    void *bytes;
    size_t size;
    read_bitcode("travel", &bytes, &size);
    begin(&s->making->message, of_bitcode(MAKER_BITCODE, 1, "travel"), bytes, size);
    expect_failure(s->making, TC_E_REFUSED, "not signed");
    free(bytes);
    signed_end(s);
}

TEST(nor_is_it_opened_where_all_code_needs_a_signature)
{
    signed_making *s = signed_begin("all");
    void *bytes;
    size_t size;
    read_bitcode("travel", &bytes, &size);
    begin(&s->making->message, of_bitcode(MAKER_BITCODE, 1, "travel"), bytes, size);
    expect_failure(s->making, TC_E_REFUSED, "not signed");
    assert_int_equal(test_counter(s->making->team.contexts[0], "messages_forwarded"), 0);
    free(bytes);
    signed_end(s);
}

TEST(an_archive_with_its_signature_runs)
{
    static const char *const required[] = {"yes", "all"};
    for (size_t i = 0; i < 2; i++) {
        signed_making *s = signed_begin(required[i]);
        char signature[TCI_MINISIGN_SIGNATURE_TEXT];
        void *bytes;
        size_t size;
        signing_sign(&s->keys.alice, "travel", signature);
        read_shipped("travel.tca", &bytes, &size);
        begin(&s->making->message,
              (maker_order){
                  .task = MAKER_MEMORY, .rank = 2, .signature_bytes = strlen(signature)},
              bytes, size);
        add(&s->making->message, signature, strlen(signature));
        expect_travels(s->making, 2, 1);
        free(bytes);
        signed_end(s);
    }
}
