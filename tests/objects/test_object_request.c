/* Requests between ranks: each field outside its range is refused with a text. */
#include "../../objects/object_request.h"

#include "../../objects/object_pointer.h"
#include "../support/test.h"

#include <string.h>

static const tco_request_limits limits = {.ranks = 4, .state_max = 1u << 20};

typedef struct sent {
    tco_request request;
    unsigned char bytes[TCO_PIECE_BYTES + 1];
} sent;

static sent s;

static int begin(void **state)
{
    (void)state;
    memset(&s, 0, sizeof s);
    s.request.object = tco_pointer_make(3, 5, 1);
    s.request.version = TCO_REQUEST_VERSION;
    s.request.kind = TCO_PIECE;
    s.request.rank = 2;
    s.request.moves = 1;
    s.request.total = 1000;
    s.request.offset = 900;
    strcpy(s.request.class_name, "thing");
    return 0;
}

static tc_status check(size_t bytes, tc_error *error)
{
    tco_request found;
    size_t found_bytes = 0;
    error->text[0] = '\0';
    tc_status status =
        tco_request_check(&s, sizeof s.request + bytes, &limits, &found, &found_bytes, error);
    if (status == TC_OK) {
        assert_memory_equal(&found, &s.request, sizeof found);
        assert_int_equal(found_bytes, bytes);
    } else {
        assert_int_equal(error->status, status);
        assert_string_not_equal(error->text, "");
    }
    return status;
}

TEST_WITH(sizes, begin, NULL)
{
    tc_error error;
    tco_request found;
    size_t bytes;
    (void)state;
    for (size_t size = 0; size < sizeof(tco_request); size++)
        assert_status(tco_request_check(&s, size, &limits, &found, &bytes, &error),
                      TC_E_INVALID);
    assert_ok(check(100, &error));
    assert_ok(check(1, &error));
    assert_status(check(101, &error), TC_E_INVALID);
    assert_status(check(0, &error), TC_E_INVALID);
    s.request.kind = TCO_MOVE;
    assert_status(check(1, &error), TC_E_INVALID);
    assert_ok(check(0, &error));
}

TEST_WITH(kinds, begin, NULL)
{
    tc_error error;
    (void)state;
    for (uint32_t kind = 0; kind < 20; kind++) {
        s.request.kind = kind;
        const bool is_known = kind > 0 && kind <= TCO_REQUEST_LAST;
        assert_status(check(kind == TCO_PIECE ? 10 : 0, &error),
                      is_known ? TC_OK : TC_E_INVALID);
    }
    s.request.version++;
    assert_status(check(0, &error), TC_E_VERSION);
}

TEST_WITH(ranks, begin, NULL)
{
    tc_error error;
    (void)state;
    s.request.rank = 4;
    assert_status(check(10, &error), TC_E_INVALID);
    s.request.rank = 0;
    s.request.object.rank = 4;
    assert_status(check(10, &error), TC_E_INVALID);
    s.request.object = tco_pointer_make(0, 1, 0);
    assert_status(check(10, &error), TC_E_INVALID);
}

TEST_WITH(pieces, begin, NULL)
{
    tc_error error;
    (void)state;
    s.request.total = (1u << 20) + 1;
    assert_status(check(10, &error), TC_E_TOO_LARGE);
    s.request.total = 1u << 20;
    s.request.offset = 0;
    assert_ok(check(TCO_PIECE_BYTES, &error));
    assert_status(check(TCO_PIECE_BYTES + 1, &error), TC_E_INVALID);
    s.request.offset = UINT64_MAX;
    assert_status(check(10, &error), TC_E_INVALID);
    s.request.offset = s.request.total = 0;
    assert_ok(check(0, &error));
    s.request.moves = 0;
    assert_status(check(0, &error), TC_E_INVALID);
    s.request.moves = 1;
    memset(s.request.class_name, 'x', sizeof s.request.class_name);
    assert_status(check(0, &error), TC_E_INVALID);
    s.request.class_name[0] = '\0';
    assert_status(check(0, &error), TC_E_INVALID);
}
