/* Mapped windows: descriptions that lie, views, and their bound. */
#include "../../support/broken_invariant.h"
#include "../../support/test.h"
#include "modules/windows/window_views.h"

#include <stdlib.h>

#define BYTES 100u
#define READ_WRITE (TC_WINDOW_READ | TC_WINDOW_WRITE)

static tci_window_share describe(const tci_segment *segment, uint32_t rights)
{
    uint8_t bytes[TCI_WINDOW_SHARE_BYTES];
    tci_window_share share;
    tci_window_share_encode(segment, rights, BYTES, bytes);
    assert_ok(tci_window_share_decode(bytes, &share, NULL));
    return share;
}

TEST(what_is_described_is_mapped)
{
    tci_segment owned, attached;
    assert_ok(tci_window_share_create(BYTES, &owned, NULL));
    const tci_window_share share = describe(&owned, READ_WRITE);
    assert_int_equal(share.bytes, BYTES);
    assert_int_equal(share.rights, READ_WRITE);
    assert_ok(tci_window_share_attach(&share, &attached, NULL));
    tci_window_share_memory(&attached)[BYTES - 1] = 7;
    assert_int_equal(tci_window_share_memory(&owned)[BYTES - 1], 7);
    assert_int_equal(tci_window_share_memory(&owned)[0], 0);
    tci_segment_detach(&attached);
    tci_segment_detach(&owned);
}

/* The other segment of this user has no mark, or another one. */
TEST(another_segment_is_left_alone)
{
    tci_segment owned, other, foreign, attached;
    tc_error error = {0};
    assert_ok(tci_window_share_create(BYTES, &owned, NULL));
    assert_ok(tci_window_share_create(BYTES, &other, NULL));
    assert_ok(tci_segment_create(8192, &foreign, NULL));
    tci_window_share share = describe(&owned, READ_WRITE);
    share.segment = other.id;
    assert_status(tci_window_share_attach(&share, &attached, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "is another one than the window's"));
    share.segment = foreign.id;
    assert_status(tci_window_share_attach(&share, &attached, &error), TC_E_UNSUPPORTED);
    share = describe(&owned, READ_WRITE);
    share.bytes = 1 << 20; /* larger than the segment */
    assert_status(tci_window_share_attach(&share, &attached, &error), TC_E_UNSUPPORTED);
    share = describe(&owned, READ_WRITE);
    tci_segment_detach(&owned);
    assert_status(tci_window_share_attach(&share, &attached, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "is not on this host"));
    share.segment = UINT32_MAX;
    assert_status(tci_window_share_attach(&share, &attached, &error), TC_E_UNSUPPORTED);
    tci_segment_detach(&other);
    tci_segment_detach(&foreign);
}

TEST(malformed_descriptions_are_refused)
{
    static const struct {
        unsigned at;
        uint8_t value;
    } wrongs[] = {{4, 0}, {4, 16}, {7, 1}, {15, 0xff}, {16, 'x'}, {23, 'x'}};
    uint8_t bytes[TCI_WINDOW_SHARE_BYTES];
    tci_window_share share;
    tci_segment owned;
    tc_error error = {0};
    assert_ok(tci_window_share_create(BYTES, &owned, NULL));
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        tci_window_share_encode(&owned, TC_WINDOW_READ, BYTES, bytes);
        bytes[wrongs[i].at] = wrongs[i].value;
        memset(bytes + 9, wrongs[i].at == 15 ? 0xff : 0, 7);
        assert_status(tci_window_share_decode(bytes, &share, &error), TC_E_CORRUPT);
    }
    tci_window_share_encode(&owned, TC_WINDOW_READ, 0, bytes);
    assert_status(tci_window_share_decode(bytes, &share, &error), TC_E_CORRUPT);
    tci_segment_detach(&owned);
}

TEST(views_are_counted)
{
    tci_window_views views = {0};
    const tc_window_view *first, *second;
    tci_segment owned;
    assert_ok(tci_window_share_create(BYTES, &owned, NULL));
    const tci_window_share share = describe(&owned, TC_WINDOW_READ);
    assert_ok(tci_window_views_add(&views, &share, &first, NULL));
    assert_ok(tci_window_views_add(&views, &share, &second, NULL));
    assert_ptr_equal(first, second);
    assert_int_equal(views.count, 1);
    assert_int_equal(first->get_words, BYTES / 8);
    assert_int_equal(first->put_words, 0);
    assert_ok(tci_window_views_remove(&views, first));
    assert_ok(tci_window_views_remove(&views, first));
    assert_status(tci_window_views_remove(&views, first), TC_E_NOT_FOUND);
    assert_int_equal(views.count, 0);
    assert_ok(tci_window_views_add(&views, &share, &first, NULL));
    views.count = TCI_WINDOW_VIEWS_MAX;
    tci_window_share another = share;
    another.mark[TCI_WINDOW_MARK_BYTES - 1] ^= 1;
    assert_status(tci_window_views_add(&views, &another, &second, NULL), TC_E_TOO_LARGE);
    views.count = 1;
    tci_window_views_free(&views);
    tci_segment_detach(&owned);
}

TEST_BROKEN(window_views)
{
    tci_window_views views = {0};
    const tc_window_view *view;
    tci_segment owned;
    assert_ok(tci_window_share_create(BYTES, &owned, NULL));
    const tci_window_share share = describe(&owned, TC_WINDOW_READ);
    assert_ok(tci_window_views_add(&views, &share, &view, NULL));
    views.count = 0;
    tci_window_views_free(&views);
}
