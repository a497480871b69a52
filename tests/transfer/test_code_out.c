/* Code for peers that ask for it, as often as they like, and whether they read it or not. near
 * has the function, far asks. */
#include "../support/fake_node.h"
#include "transfer/code_out.h"

#define LARGE (4u * 32768u) /* as many fragments as are under way at once, and one more */
#define HEAD_BYTES (TCI_CODE_SECTION_BYTES + 4u)

static fake_pair pair;
static tc_ifunc *fn;

/* Its libraries make it large: to pack an archive of this size takes seconds. */
static tc_ifunc *large_function(const char *name)
{
    static uint8_t deps[LARGE];
    tc_ifunc *made;
    tc_error error = {0};
    size_t size;
    void *archive = fake_archive(name, TCI_ENTRY_MAIN, 64, &size);
    const tci_registry_code code = {
        .archive = archive, .archive_size = size, .deps = deps, .deps_size = sizeof deps};
    fake_code_of(name)->entries.main = fake_nothing;
    for (size_t i = 0; i < sizeof deps; i++)
        deps[i] = (uint8_t)(i % 251);
    if (tci_registry_add(&pair.near->core.registry, &code, &made, &error) != TC_OK)
        fail_msg("%s", error.text);
    free(archive);
    return made;
}

static void open_pair(void)
{
    fake_pair_open(&pair, FAKE_MAPPED);
    fn = large_function("large");
    assert_ok(tc_send(pair.ep, fn, NULL, 0)); /* announces it */
}

static void need(const tc_ifunc *wanted)
{
    tci_code_out_begin(pair.ep, &wanted->id, false);
}

static unsigned fragments(void)
{
    return fake_outbox_count(&pair.ep->link->sent, TCI_AM_CODE);
}

TEST(all_of_it_leaves_in_its_order)
{
    const fake_post *post;
    size_t offset = 0;
    open_pair();
    need(fn);
    assert_true(tci_pending_has(&pair.near->core.pending, TCI_WORK_LINK));
    assert_true(tci_code_out_may_leave(pair.ep));
    assert_false(tci_code_out_turn(pair.ep));
    assert_int_equal(fragments(), 5);
    while ((post = fake_outbox_take(&pair.ep->link->sent)) != NULL) {
        if (post->kind != TCI_AM_CODE)
            continue;
        assert_memory_equal(post->bytes, fn->code, TCI_CODE_SECTION_BYTES);
        assert_memory_equal(post->bytes + HEAD_BYTES,
                            fn->code + TCI_CODE_SECTION_BYTES + offset,
                            post->size - HEAD_BYTES);
        offset += post->size - HEAD_BYTES;
    }
    assert_int_equal(offset, fn->code_bytes - TCI_CODE_SECTION_BYTES);
    assert_null(pair.ep->tx.code);
    assert_int_equal(fn->references, 1);
    fake_pair_close(&pair);
}

/* 300 questions of 32 bytes once took 300 copies of the code. */
TEST(a_peer_that_asks_and_does_not_read_costs_a_few_fragments)
{
    open_pair();
    pair.ep->link->holds = true;
    for (int i = 0; i < 300; i++) {
        need(fn);
        assert_true(tci_code_out_turn(pair.ep));
    }
    assert_int_equal(fragments(), 4);
    assert_int_equal(fn->references, 2); /* the handle, and the code being sent */
    assert_false(tci_code_out_may_leave(pair.ep));
    fake_link_let_go(pair.ep->link);
    assert_true(tci_code_out_may_leave(pair.ep));
    assert_false(tci_code_out_turn(pair.ep)); /* the last question is answered from the start */
    assert_int_equal(fragments(), 4 + 5);
    fake_pair_close(&pair);
}

TEST(a_later_question_replaces_an_earlier_one)
{
    open_pair();
    tc_ifunc *other = large_function("other");
    assert_ok(tc_send(pair.ep, other, NULL, 0));
    pair.ep->link->holds = true;
    need(fn);
    assert_true(tci_code_out_turn(pair.ep));
    need(other);
    assert_int_equal(fn->references, 1);
    fake_link_let_go(pair.ep->link);
    assert_false(tci_code_out_turn(pair.ep));
    unsigned of_other = 0;
    const fake_post *post;
    while ((post = fake_outbox_take(&pair.ep->link->sent)) != NULL)
        of_other += post->kind == TCI_AM_CODE &&
                    memcmp(post->bytes, other->id.bytes, sizeof other->id) == 0;
    assert_int_equal(of_other, 5);
    assert_int_equal(fragments(), 4 + 5);
    fake_pair_close(&pair);
}

/* Code of another peer's, or of this program's alone. */
TEST(code_that_was_not_announced_to_the_peer_is_not_given_away)
{
    const tci_content_id nobody = {{9}};
    open_pair();
    const tc_ifunc *secret = large_function("secret");
    need(secret);
    tci_code_out_begin(pair.ep, &nobody, false);
    assert_false(tci_code_out_turn(pair.ep));
    assert_int_equal(fragments(), 0);
    assert_true(tci_ep_is_open(pair.ep));
    fake_pair_close(&pair);
}

TEST(code_that_cannot_leave_ends_the_endpoint)
{
    open_pair();
    pair.ep->link->posts = TC_E_PEER_LOST;
    need(fn);
    assert_false(tci_code_out_turn(pair.ep));
    fake_expect_failed(pair.ep, TC_E_PEER_LOST, "its code could not be sent");
    fake_pair_close(&pair);
}

TEST(what_is_under_way_when_the_endpoint_goes_is_let_go)
{
    open_pair();
    pair.ep->link->holds = true;
    need(fn);
    assert_true(tci_code_out_turn(pair.ep));
    fake_pair_close(&pair); /* leak checkers look for the rest */
}
