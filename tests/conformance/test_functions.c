/* Functions: their identity, where their code comes from, and why a peer refuses them. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "archive.h"

#include <tc/advanced.h>
#include <tc/log.h>
#include <unistd.h>

static void copy_file(const char *from, const char *to)
{
    char command[2200];
    (void)snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

/* A function that is opened again after its file changed is another function; the first handle
 * keeps the old one. */
TEST(a_changed_archive_under_the_same_name_runs_its_new_code)
{
    pair p;
    char folder[] = "/tmp/tc-test-XXXXXX", path[64], from[1024];
    tc_ifunc *first, *second, *again;
    uint8_t first_id[TC_IFUNC_ID_BYTES], second_id[TC_IFUNC_ID_BYTES];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/versioned.tca", folder);
    pair_open(&p, (const char *const[]){"ifunc_path", folder, NULL});

    (void)snprintf(from, sizeof from, "%s/version1/versioned.tca", getenv("TC_IFUNC_PATH"));
    copy_file(from, path);
    first = pair_ifunc(&p, "versioned");
    assert_ok(tc_send(p.ep, first, NULL, 0));
    (void)snprintf(from, sizeof from, "%s/version2/versioned.tca", getenv("TC_IFUNC_PATH"));
    copy_file(from, path);
    again = pair_ifunc(&p, "versioned");
    second = again;
    tc_ifunc_id(first, first_id);
    tc_ifunc_id(second, second_id);
    assert_memory_not_equal(first_id, second_id, sizeof first_id);
    assert_string_equal(tc_ifunc_name(first), tc_ifunc_name(second));
    assert_ok(tc_send(p.ep, second, NULL, 0));
    assert_ok(tc_send(p.ep, first, NULL, 0));
    assert_ok(tc_send(p.ep, second, NULL, 0));
    pair_flush(p.ep);
    assert_int_equal(p.target_state.bytes, 1212);
    pair_close(&p);
    (void)unlink(path);
    (void)rmdir(folder);
}

PAIR_TEST(the_same_content_is_the_same_function)
{
    tc_ifunc *one = pair_ifunc(p, "check"), *two = pair_ifunc(p, "check");
    assert_ptr_equal(one, two);
    tc_ifunc_close(one);
    pair_send_check(p->ep, two, 0, 10);
    pair_flush(p->ep);
    assert_int_equal(p->target_state.wrong, 0);
}

/* As installed programs have them: wherever they are started. */
TEST(functions_are_found_beside_the_program)
{
    pair p;
    pair_open(&p, (const char *const[]){"ifunc_path", "/nonexistent:$ORIGIN/../shipped", NULL});
    pair_send_check(p.ep, pair_ifunc(&p, "check"), 0, 10);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 1);
    pair_close(&p);
    pair_open(&p, (const char *const[]){"ifunc_path", "$ORIGINAL:$ORIGIN", NULL});
    tc_ifunc *fn;
    tc_error error;
    assert_status(tc_ifunc_open(p.source, "check", &fn, &error), TC_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "$ORIGINAL:$ORIGIN"));
    pair_close(&p);
}

PAIR_TEST(a_function_is_compiled_once_for_many_peers)
{
    tc_ep *eps[8];
    tc_ifunc *fn = pair_ifunc(p, "check");
    for (size_t i = 0; i < 8; i++) {
        eps[i] = pair_connect(p);
        pair_send_check(eps[i], fn, i, 10);
        pair_flush(eps[i]);
    }
    assert_int_equal(pair_counter(p, "code_received"), 1);
    for (size_t i = 0; i < 8; i++)
        tc_ep_close(eps[i]);
    assert_int_equal(p->target_state.wrong, 0);
}

PAIR_TEST(connecting_by_address_bytes_works_like_connecting_by_port)
{
    size_t size;
    tc_ep *ep;
    tc_error error = {0};
    uint8_t copy[8192];
    server_pause(&p->server);
    const void *address = tc_context_address(p->target, &size);
    assert_true(size <= sizeof copy);
    memcpy(copy, address, size);
    server_resume(&p->server);
    tc_status status =
        tc_ep_connect_address(p->source, copy, size, PAIR_TIMEOUT_NS, &ep, &error);
    if (status != TC_OK)
        fail_msg("%s", error.text);
    tc_ifunc *fn = pair_ifunc(p, "check");
    for (uint64_t n = 0; n < 1000; n++)
        pair_send_check(ep, fn, n, (size_t)n);
    pair_flush(ep);
    assert_int_equal(p->target_state.next, 1000);
    assert_int_equal(p->target_state.wrong, 0);
    tc_ep_close(ep);
    copy[size / 2] ^= 1;
    status = tc_ep_connect_address(p->source, copy, size, PAIR_TIMEOUT_NS, &ep, &error);
    assert_status(status, TC_E_CORRUPT);
}

/* --- refusals ------------------------------------------------------------------------ */

/* Sends fn once; the peer must refuse it so, and go on with others. */
static void expect_refusal(pair *p, tc_ifunc *fn, tc_status status, const char *const *words)
{
    tc_error error = {0};
    assert_ok(tc_send(p->ep, fn, "x", 1));
    pair_flush(p->ep);
    assert_int_equal(tc_ep_refusal(p->ep, &error), 1);
    if (error.status != status)
        fail_msg("%s: %s", tc_status_name(error.status), error.text);
    for (; *words != NULL; words++) {
        if (strstr(error.text, *words) == NULL)
            fail_msg("'%s' is not in: %s", *words, error.text);
    }
    tc_ifunc *check = pair_ifunc(p, "check");
    pair_send_check(p->ep, check, 0, 100);
    pair_flush(p->ep);
    assert_int_equal(p->target_state.next, 1);
    assert_int_equal(p->target_state.wrong, 0);
}

PAIR_TEST(code_without_a_slice_for_the_target_is_refused)
{
    expect_refusal(p, pair_ifunc_file(p, "foreign"), TC_E_NO_SLICE,
                   (const char *const[]){"x86_64-linux", "aarch64-linux", NULL});
}

PAIR_TEST(a_missing_library_is_named)
{
    char path[1024];
    static char bytes[65536];
    static const char deps[] = "libc.so.6\nlibnowhere-to-be-found.so.7\n";
    tc_error error = {0};
    tc_ifunc *fn;
    (void)snprintf(path, sizeof path, "%s/check.tca", getenv("TC_IFUNC_PATH"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (tc_ifunc_open_code(
            p->source,
            &(tc_code){.bytes = bytes, .size = size, .deps = deps, .deps_size = strlen(deps)},
            &fn, &error) != TC_OK)
        fail_msg("%s", error.text);
    expect_refusal(p, fn, TC_E_NO_LIBRARY,
                   (const char *const[]){"libnowhere-to-be-found.so.7", NULL});
}

/* The archive says which LLVM wrote its bitcode; behind the magic is no bitcode at all, so it
 * must not be read. */
TEST(bitcode_of_a_newer_llvm_is_refused_before_it_is_parsed)
{
    pair p;
    tci_archive_writer *writer;
    void *bytes;
    size_t size;
    tc_error error = {0};
    tc_ifunc *fn;
    tc_ep_info info;
    const char *form = getenv("TC_FORM") != NULL ? getenv("TC_FORM") : "auto";
    tci_slice slice = {.form = TCI_FORM_BITCODE, .producer_major = 99, .producer_minor = 8};
    (void)snprintf(slice.triple, sizeof slice.triple, "%s", tci_triple_host());
    assert_ok(tci_archive_writer_create("later", TCI_ENTRY_MAIN, &writer, &error));
    assert_ok(tci_archive_writer_add(writer, &slice, "BC\xc0\xdeno bitcode at all", 20, NULL, 0,
                                     &error));
    assert_ok(tci_archive_writer_finish(writer, &bytes, &size, &error));
    tci_archive_writer_destroy(writer);
    pair_open(&p, NULL);
    assert_ok(
        tc_ifunc_open_code(p.source, &(tc_code){.bytes = bytes, .size = size}, &fn, &error));
    free(bytes);
    tc_ep_query(p.ep, &info);
    if (strcmp(form, "image") == 0)
        expect_refusal(&p, fn, TC_E_NO_SLICE, (const char *const[]){"later", "image", NULL});
    else if (strcmp(info.peer_llvm, "none") == 0)
        expect_refusal(&p, fn, TC_E_UNSUPPORTED,
                       (const char *const[]){"later", "bitcode", "without LLVM", NULL});
    else
        expect_refusal(&p, fn, TC_E_VERSION,
                       (const char *const[]){"99.8.0", info.peer_llvm, NULL});
    pair_close(&p);
}

/* A whole archive around a malformed image: the target reports that, and lives on. Where
 * bitcode is requested it is not read. */
TEST(a_damaged_image_is_refused)
{
    static const struct {
        uint8_t cpu_level;
        tc_status status;
        const char *word;
    } cases[] = {{TCI_CPU_ANY, TC_E_CORRUPT, "image"}, {200, TC_E_NO_SLICE, "cpu level 200"}};
    const char *form = getenv("TC_FORM") != NULL ? getenv("TC_FORM") : "auto";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pair p;
        tci_archive_writer *writer;
        void *bytes;
        size_t size;
        tc_error error = {0};
        tc_ifunc *fn;
        tc_status status = strcmp(form, "bitcode") == 0 ? TC_E_NO_SLICE : cases[i].status;
        tci_slice slice = {.form = TCI_FORM_IMAGE, .cpu_level = cases[i].cpu_level};
        (void)snprintf(slice.triple, sizeof slice.triple, "%s", tci_triple_host());
        assert_ok(tci_archive_writer_create("bad", TCI_ENTRY_MAIN, &writer, &error));
        assert_ok(tci_archive_writer_add(writer, &slice, "\1\1\1\41\77", 5, NULL, 0, &error));
        assert_ok(tci_archive_writer_finish(writer, &bytes, &size, &error));
        tci_archive_writer_destroy(writer);
        pair_open(&p, NULL);
        assert_ok(tc_ifunc_open_code(p.source, &(tc_code){.bytes = bytes, .size = size}, &fn,
                                     &error));
        free(bytes);
        expect_refusal(&p, fn, status, (const char *const[]){"bad", cases[i].word, NULL});
        pair_close(&p);
    }
}

PAIR_TEST(damaged_archives_are_refused_where_they_are_opened)
{
    char path[1024];
    static uint8_t bytes[65536];
    tc_error error = {0};
    tc_ifunc *fn;
    (void)snprintf(path, sizeof path, "%s/check.tca", getenv("TC_IFUNC_PATH"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t at = 0; at < size; at += 37) {
        bytes[at] ^= 0x10;
        assert_int_not_equal(tc_ifunc_open_code(p->source,
                                                &(tc_code){.bytes = bytes, .size = size}, &fn,
                                                &error),
                             TC_OK);
        bytes[at] ^= 0x10;
        assert_int_not_equal(
            tc_ifunc_open_code(p->source, &(tc_code){.bytes = bytes, .size = at}, &fn, &error),
            TC_OK);
    }
    assert_status(tc_ifunc_open(p->source, "nobody", &fn, &error), TC_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "nobody"));
    assert_status(tc_ifunc_open(p->source, "../check", &fn, &error), TC_E_INVALID);
}

/* More functions than slots: unreferenced ones are evicted, and come back when they are sent
 * again. */
TEST(functions_beyond_the_limit_replace_idle_ones)
{
    pair p;
    tc_error error = {0};
    tc_ifunc *third;
    pair_open(&p, (const char *const[]){"functions_max", "2", NULL});
    tc_ifunc *check = pair_ifunc(&p, "check");
    tc_ifunc *doubled = pair_ifunc(&p, "doubled");
    assert_status(tc_ifunc_open(p.source, "echo", &third, &error), TC_E_TOO_LARGE);
    pair_send_check(p.ep, check, 0, 5);
    pair_flush(p.ep);
    tc_ifunc_close(doubled);
    third = pair_ifunc(&p, "echo");
    assert_ok(tc_send(p.ep, third, NULL, 0));
    pair_flush(p.ep);
    tc_ifunc_close(check);
    doubled = pair_ifunc(&p, "doubled"); /* replaces check, and takes its slot */
    assert_ok(tc_send(p.ep, doubled, "ab", 2));
    pair_flush(p.ep);
    assert_int_equal(tc_ep_refusal(p.ep, NULL), 0);
    assert_int_equal(p.target_state.next, 3);
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}

/* Messages that are under way keep the slots of their own functions alone. */
TEST(what_ran_before_makes_room)
{
    pair p;
    tc_error error = {0};
    tc_ifunc *third;
    pair_open(&p, (const char *const[]){"functions_max", "2", NULL});
    tc_ifunc *check = pair_ifunc(&p, "check"), *doubled = pair_ifunc(&p, "doubled");
    pair_send_check(p.ep, check, 0, 5);
    pair_flush(p.ep);
    tc_ifunc_close(check);
    pair_pause(&p);
    assert_ok(tc_send(p.ep, doubled, "ab", 2));
    must(tc_ifunc_open(p.source, "echo", &third, &error), &error, "echo");
    tc_ifunc_close(doubled);
    assert_status(tc_ifunc_open(p.source, "check", &check, &error), TC_E_TOO_LARGE);
    pair_resume(&p);
    pair_flush(p.ep);
    must(tc_ifunc_open(p.source, "check", &check, &error), &error, "check");
    pair_close(&p);
}

/* The bytes of a file, and as many functions as there are lists of libraries for them. */
static tc_ifunc *open_variant(tc_context *ctx, unsigned number)
{
    static char bytes[1 << 20];
    char path[1024], deps[256] = "";
    tc_ifunc *fn;
    (void)snprintf(path, sizeof path, "%s/check.tca", getenv("TC_IFUNC_PATH"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (unsigned bit = 1; bit < 16; bit *= 2)
        (void)strcat(deps, number & bit ? "libm.so.6\n" : "libc.so.6\n");
    assert_ok(tc_ifunc_open_code(
        ctx, &(tc_code){.bytes = bytes, .size = size, .deps = deps, .deps_size = strlen(deps)},
        &fn, NULL));
    return fn;
}

/* A peer with more functions than the target has slots leaves some to others, and still calls
 * all of its own. */
TEST(one_peer_does_not_keep_all_places)
{
    enum { FUNCTIONS = 12 };
    pair p;
    tc_ep *ep;
    tc_ifunc *fns[FUNCTIONS];
    tc_error error = {0};
    uint64_t sent = 0;
    pair_open(&p, (const char *const[]){"functions_max", "4", NULL});
    tc_context *many = test_context(NULL);
    must(tc_ep_connect(many, p.host_port, PAIR_TIMEOUT_NS, &ep, &error), &error, "connect");
    for (unsigned i = 0; i < FUNCTIONS; i++)
        fns[i] = open_variant(many, i);
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < FUNCTIONS; i++)
            pair_send_check(ep, fns[i], sent++, 20);
        pair_flush(ep);
        pair_send_check(p.ep, pair_ifunc(&p, "check"), sent++, 20);
        pair_flush(p.ep);
    }
    assert_int_equal(tc_ep_refusal(ep, &error), 0);
    assert_int_equal(tc_ep_refusal(p.ep, &error), 0);
    assert_int_equal(p.target_state.next, sent);
    assert_int_equal(p.target_state.wrong, 0);
    tc_ep_close(ep);
    tc_context_destroy(many);
    pair_close(&p);
}

static void destroy_where_it_runs(void *endpoint)
{
    tc_context_destroy(tc_ep_context(endpoint));
}

TEST(a_context_outlives_its_own_ifuncs)
{
    pair p;
    tc_log_set_level(TC_LOG_OFF); /* while there is one thread */
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    p.target_state.note = destroy_where_it_runs;
    for (uint64_t n = 0; n < 3; n++)
        pair_send_check(p.ep, fn, n, 10);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 3);
    pair_close(&p);
    tc_log_set_level(TC_LOG_ERROR);
}
