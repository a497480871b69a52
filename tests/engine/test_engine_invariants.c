/* Broken state of code memory and of the set of libraries ends the process. */
#include "../support/broken_invariant.h"
#include "engine/image/code_arena.h"
#include "engine/library_set.h"

static tci_code_arena *arena;
static const tci_image image = {
    .memory_bytes = 1,
    .segment_count = 1,
    .segments = {{.memory_bytes = 1, .kind = TCI_IMAGE_CODE}},
};

static tci_code_place taken(void)
{
    tci_code_place place;
    assert_ok(tci_code_arena_create(&arena, NULL));
    assert_ok(tci_code_arena_take(arena, &image, &place, NULL));
    return place;
}

TEST_BROKEN(arena_slot)
{
    const tci_code_place place = taken();
    tci_code_place other;
    assert_ok(tci_code_arena_take(arena, &image, &other, NULL));
    tci_code_arena_give_back(arena, &place, &image);
    tci_code_arena_give_back(arena, &place, &image);
}

TEST_BROKEN(arena_views)
{
    tci_code_place place = taken();
    place.write = place.run;
    tci_code_arena_give_back(arena, &place, &image);
}

/* --- libraries --------------------------------------------------------------------------- */

static tci_library_set *set;

static tci_library *put(void)
{
    static tci_library library = {.title = TCI_LIBRARY_PREFIX "shelf"};
    assert_ok(tci_library_set_create(&set, NULL));
    assert_ok(tci_library_set_put(set, &library, NULL));
    return &library;
}

TEST_BROKEN(library_holders)
{
    tci_library *library = put();
    tci_library_set_let_go(set, library);
}

TEST_BROKEN(library_force)
{
    tci_library *library = put();
    tci_library_set_take_out(set, library);
    tci_library_set_take_out(set, library);
}

TEST_BROKEN(library_list)
{
    (void)put();
    tci_library_set_destroy(set);
}
