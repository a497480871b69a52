/* The API's edition of 2021: its calls have the types that the paper prints, and its two sample
 * listings run as printed. The paper's story: a record is packed by an algorithm that the
 * target's database does not know, and unpacked and inserted there by the function that came
 * along. */
#define TC_COMPAT_UCX_IFUNC 2021
#include "../support/test.h"
#include "compat_node.h"
#include "record_batch.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

#define BUFFER_BYTES (1u << 20)
#define LINES 2000u
#define FILE_NAME "voices"

/* --- Listing 1.1 ----------------------------------------------------------------------- */

TEST(calls_are_as_printed)
{
    ucs_status_t (*reg)(ucp_context_h, const char *, ucp_ifunc_h *) = ucp_register_ifunc;
    void (*deregister)(ucp_context_h, ucp_ifunc_h) = ucp_deregister_ifunc;
    ucs_status_t (*create)(ucp_ifunc_h, void *, size_t, ucp_ifunc_msg_t *) =
        ucp_ifunc_msg_create;
    void (*release)(ucp_ifunc_msg_t) = ucp_ifunc_msg_free;
    ucs_status_t (*send)(ucp_ep_h, ucp_ifunc_msg_t, uint64_t, ucp_rkey_h) =
        ucp_ifunc_msg_send_nbix;
    ucs_status_t (*poll)(ucp_context_h, void *, size_t, void *) = ucp_poll_ifunc;
    assert_true(reg && deregister && create && release && send && poll);
}

/* An impossible call returns an error where it has a status, and has no effect otherwise. */
TEST(mistakes)
{
    compat_node node;
    ucp_ifunc_h ih = NULL;
    _Alignas(8) uint8_t slot[64] = {0};
    const ucp_ifunc_msg_t never_made = {0};
    compat_node_open(&node, 4096);
    assert_int_equal(ucp_register_ifunc(node.context, NULL, &ih), UCS_ERR_INVALID_PARAM);
    assert_int_equal(ucp_register_ifunc(node.context, "no_such", &ih), UCS_ERR_NO_ELEM);
    ucp_deregister_ifunc(node.context, ih);
    ucp_ifunc_msg_free(never_made);
    assert_int_equal(ucp_ifunc_msg_send_nbix(NULL, never_made, 0, NULL), UCS_ERR_NO_ELEM);
    assert_int_equal(ucp_poll_ifunc(node.context, slot, sizeof slot, NULL), UCS_ERR_NO_MESSAGE);
    assert_int_equal(ucp_poll_ifunc(node.context, slot + 1, sizeof slot - 1, NULL),
                     UCS_ERR_INVALID_PARAM);
    compat_node_close(&node);
}

/* --- the record -------------------------------------------------------------------------- */

static size_t append(char *bytes, size_t at, const void *from, size_t size)
{
    memcpy(bytes + at, from, size);
    return at + size;
}

static size_t make_text(char *text)
{
    size_t size = 0;
    for (unsigned i = 1; i <= LINES; i++)
        size += (size_t)sprintf(text + size, "voice %u says %u\n", i, i * i);
    return size;
}

static record_batch make_record(char *bytes)
{
    char text[64 * LINES];
    const record_head head = {.run = 7,
                              .first_line = 1,
                              .name_bytes = sizeof FILE_NAME - 1,
                              .text_bytes = (uint32_t)make_text(text)};
    size_t size = append(bytes, 0, &head, sizeof head);
    size = append(bytes, size, FILE_NAME, head.name_bytes);
    size = append(bytes, size, text, head.text_bytes);
    return (record_batch){.bytes = bytes, .size = size};
}

/* The function opened it, and the library that it brought along is this program's, too. */
static void check_database(const record_target *target)
{
    char text[64 * LINES];
    sqlite3_stmt *select;
    size_t size = make_text(text), at = 0;
    REQUIRE(target->counts.batches == 1 && target->counts.rows == LINES);
    REQUIRE(sqlite3_prepare_v2(target->database, "SELECT text FROM lines ORDER BY line", -1,
                               &select, NULL) == SQLITE_OK);
    while (sqlite3_step(select) == SQLITE_ROW) {
        size_t bytes = (size_t)sqlite3_column_bytes(select, 0);
        REQUIRE(bytes <= size - at &&
                memcmp(sqlite3_column_text(select, 0), text + at, bytes) == 0);
        at += bytes;
    }
    REQUIRE(at == size);
    sqlite3_finalize(select);
}

/* --- Listing 1.4 ----------------------------------------------------------------------- */

/* As printed from "ucp_ifunc_h ih" to the deregistration; the comment on waiting describes the
 * macro. UCX's own ucp_ep_flush_nb has three parameters. */
#define ucp_ep_flush_nb(ep) compat_node_flush(node, link)

static void run_source(compat_node *node, compat_link *link, record_batch *record,
                       size_t record_size)
{
    ucp_context_h ucp_ctx = node->context;
    ucp_ep_h ep = link->ep;
    uint64_t recv_buffer = link->remote;
    ucp_rkey_h rmt_rkey = link->rkey;
    /* clang-format off */
/* On the source process */
ucp_ifunc_h ih;
ucp_ifunc_msg_t msg;

ucp_register_ifunc(ucp_ctx, "paq8pv", &ih);
ucp_ifunc_msg_create(ih, record, record_size, &msg);
ucp_ifunc_send_nbix(ep, msg, recv_buffer, rmt_rkey);
ucp_ep_flush_nb(ep); // And wait on completion

ucp_ifunc_msg_free(msg);
ucp_deregister_ifunc(ucp_ctx, ih);
    /* clang-format on */
}

typedef struct target_view {
    compat_node *node;
    record_target *database;
    _Atomic bool is_done;
} target_view;

static void *run_target(void *user)
{
    target_view *view = user;
    ucp_context_h ucp_ctx = view->node->context;
    void *recv_buffer = view->node->memory;
    size_t recv_buffer_size = view->node->memory_bytes;
    record_target *db_handle = view->database;
    /* clang-format off */
/* On the target process */
ucs_status_t s;
do {
    s = ucp_poll_ifunc(ucp_ctx, recv_buffer,
                      recv_buffer_size, db_handle);
} while (s != UCS_OK);
    /* clang-format on */
    view->is_done = true;
    return NULL;
}

/* Where a message is stored into the target's memory nothing there needs to be progressed;
 * where it is a put that UCX emulates, its worker does. */
static void run_target_progressed(target_view *view)
{
    pthread_t thread;
    if (getenv("TEST_OWN_MEMORY") == NULL && getenv("UCX_TLS") == NULL) {
        (void)run_target(view);
        return;
    }
    REQUIRE(pthread_create(&thread, NULL, run_target, view) == 0);
    while (!view->is_done)
        (void)ucp_worker_progress(view->node->worker);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

static void source_process(int fd, void *user)
{
    char bytes[sizeof(record_head) + sizeof FILE_NAME + 64 * LINES];
    compat_node node;
    record_batch record = make_record(bytes);
    (void)user;
    compat_node_open(&node, 4096);
    run_source(&node, compat_node_link(&node, fd), &record, sizeof record);
    REQUIRE(record.packed == NULL); /* taken into the message */
    compat_node_close(&node);
}

static void run_listings(void)
{
    compat_node node;
    record_target database = {.path = ":memory:"};
    target_view view = {.node = &node, .database = &database};
    compat_child child = compat_fork(source_process, NULL);
    compat_node_open(&node, BUFFER_BYTES);
    (void)compat_node_link(&node, child.fd);
    run_target_progressed(&view);
    check_database(&database);
    sqlite3_close(database.database);
    compat_node_close(&node);
    assert_true(compat_wait(&child));
}

TEST(listings_as_archive)
{
    run_listings();
}

/* As the paper builds it: a shared object, which is all that the folder has. */
TEST(listings_as_shared_object)
{
    char folder[4096];
    const char *above = getenv("UCX_IFUNC_LIB_DIR");
    assert_non_null(above);
    (void)snprintf(folder, sizeof folder, "%s/library", above);
    assert_int_equal(setenv("UCX_IFUNC_LIB_DIR", folder, 1), 0);
    run_listings();
}
