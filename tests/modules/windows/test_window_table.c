/* The table of windows: numbers, generations, bounds, and its invariants. */
#include "../../support/broken_invariant.h"
#include "../../support/fake_node.h"
#include "modules/windows/window_chain.h"

static uint64_t memory[8];

static tc_window_params params_for(tc_ep *peer, uint32_t rights)
{
    return (tc_window_params){
        .memory = memory, .bytes = sizeof memory, .rights = rights, .peer = peer};
}

NODE_TEST(numbers_are_used_again_with_another_generation)
{
    tci_windows windows = {0};
    const tc_window_params params = params_for(fake_node_ep(node), TC_WINDOW_READ);
    tc_gptr a, b, c;
    assert_ok(tci_windows_open(&windows, &node->core, &params, &a, NULL));
    assert_ok(tci_windows_open(&windows, &node->core, &params, &b, NULL));
    assert_int_equal(a.window, 0);
    assert_int_equal(b.window, 1);
    assert_ok(tci_windows_close(&windows, a));
    assert_status(tci_windows_close(&windows, a), TC_E_NOT_FOUND);
    assert_ok(tci_windows_open(&windows, &node->core, &params, &c, NULL));
    assert_int_equal(c.window, 0);
    assert_int_equal(c.generation, 2);
    assert_status(tci_windows_close(&windows, a), TC_E_NOT_FOUND);
    assert_int_equal(windows.open, 2);
    tci_windows_fini(&windows);
}

NODE_TEST(a_number_is_never_used_again_after_its_last_generation)
{
    tci_windows windows = {0};
    const tc_window_params params = params_for(fake_node_ep(node), TC_WINDOW_READ);
    tc_gptr at;
    for (unsigned generation = 1; generation <= UINT16_MAX; generation++) {
        assert_ok(tci_windows_open(&windows, &node->core, &params, &at, NULL));
        assert_int_equal(at.window, 0);
        assert_int_equal(at.generation, generation);
        assert_ok(tci_windows_close(&windows, at));
    }
    assert_ok(tci_windows_open(&windows, &node->core, &params, &at, NULL));
    assert_int_equal(at.window, 1);
    assert_int_equal(at.generation, 1);
    tci_windows_fini(&windows);
}

NODE_TEST(a_context_has_so_many_windows)
{
    tci_windows windows = {0};
    const tc_window_params params = params_for(fake_node_ep(node), TC_WINDOW_READ);
    tc_error error = {0};
    tc_gptr at;
    for (unsigned i = 0; i < TCI_WINDOWS_MAX; i++) {
        assert_ok(tci_windows_open(&windows, &node->core, &params, &at, NULL));
        assert_int_equal(at.window, i);
    }
    assert_status(tci_windows_open(&windows, &node->core, &params, &at, &error),
                  TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "4097 are open or have a number that is worn out"));
    assert_ok(tci_windows_close(&windows, (tc_gptr){.window = 100, .generation = 1}));
    assert_ok(tci_windows_open(&windows, &node->core, &params, &at, NULL));
    assert_int_equal(at.window, 100);
    tci_windows_fini(&windows);
}

/* The peer's memory and connection may be another one's later; its token is not. */
NODE_TEST(an_endpoint_is_known_by_its_token)
{
    tci_windows windows = {0};
    tc_ep *peer = fake_node_ep(node);
    const tc_window_params params = params_for(peer, TC_WINDOW_READ);
    tci_window *window;
    tc_gptr at;
    assert_ok(tci_windows_open(&windows, &node->core, &params, &at, NULL));
    assert_ok(tci_windows_find(&windows, peer, 0, 1, TC_WINDOW_READ, &window, NULL));
    peer->token ^= 1;
    assert_status(tci_windows_find(&windows, peer, 0, 1, TC_WINDOW_READ, &window, NULL),
                  TC_E_REFUSED);
    peer->token ^= 1;
    tci_windows_fini(&windows);
}

TEST_BROKEN(window_count)
{
    fake_node *node = fake_node_create();
    tci_windows windows = {0};
    const tc_window_params params = params_for(fake_node_ep(node), TC_WINDOW_READ);
    tc_gptr at;
    assert_ok(tci_windows_open(&windows, &node->core, &params, &at, NULL));
    windows.open = 0;
    assert_ok(tci_windows_close(&windows, at));
}

TEST_BROKEN(window_arena)
{
    fake_node *node = fake_node_create();
    tci_windows windows = {0};
    tc_ep *peer = fake_node_ep(node);
    const tc_window_params params = params_for(peer, TC_WINDOW_ALLOCATE);
    const tc_window_step step = tc_window_step_allocate((tc_gptr){.generation = 1}, 8, NULL);
    tci_window_request request;
    uint8_t answer[64];
    const uint8_t *begin;
    tc_gptr at;
    assert_ok(tci_windows_open(&windows, &node->core, &params, &at, NULL));
    assert_ok(tci_window_request_take(&step, sizeof step, 1, &request, NULL));
    windows.table[0].arena_next = windows.table[0].bytes + 1;
    assert_ok(tci_window_chain_run(&windows, peer, &request, answer, &begin, NULL));
}

TEST_BROKEN(window_blocks)
{
    tci_window_blocks blocks = {0};
    void *block = tci_window_blocks_take(&blocks, 1);
    tci_window_blocks_give(&blocks, block, 1);
    blocks.count = 0;
    (void)tci_window_blocks_take(&blocks, 1);
}

/* --- blocks of chains --------------------------------------------------------------------- */

TEST(blocks_are_kept_up_to_their_bound)
{
    void *taken[TCI_WINDOW_BLOCKS_MAX + 2];
    tci_window_blocks blocks = {0};
    for (unsigned i = 0; i < TCI_WINDOW_BLOCKS_MAX + 2; i++)
        taken[i] = tci_window_blocks_take(&blocks, TCI_WINDOW_BLOCK_BYTES);
    for (unsigned i = 0; i < TCI_WINDOW_BLOCKS_MAX + 2; i++)
        tci_window_blocks_give(&blocks, taken[i], TCI_WINDOW_BLOCK_BYTES);
    assert_int_equal(blocks.count, TCI_WINDOW_BLOCKS_MAX);
    assert_ptr_equal(tci_window_blocks_take(&blocks, 8), taken[TCI_WINDOW_BLOCKS_MAX - 1]);
    tci_window_blocks_give(&blocks, taken[TCI_WINDOW_BLOCKS_MAX - 1], 8);
    void *larger = tci_window_blocks_take(&blocks, TCI_WINDOW_BLOCK_BYTES + 1);
    assert_int_equal(blocks.count, TCI_WINDOW_BLOCKS_MAX);
    tci_window_blocks_give(&blocks, larger, TCI_WINDOW_BLOCK_BYTES + 1);
    assert_int_equal(blocks.count, TCI_WINDOW_BLOCKS_MAX);
    tci_window_blocks_free(&blocks);
    assert_int_equal(blocks.count, 0);
    assert_null(blocks.first);
}
