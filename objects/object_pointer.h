/* Pointers to objects: a tc_gptr with a window number that no window has. Pure functions. */
#ifndef TCO_OBJECT_POINTER_H
#define TCO_OBJECT_POINTER_H

#include <stdbool.h>
#include <tc/window.h>

#define TCO_WINDOW UINT16_MAX /* windows have numbers below 4,096 */
#define TCO_GENERATION 1u     /* of this layout of the offset */

/* Index at the home in the low half of the offset, use of the index in the high half. */
static inline tc_gptr tco_pointer_make(uint32_t home, uint32_t index, uint32_t use)
{
    tc_gptr object = {TCO_WINDOW, TCO_GENERATION, home, (uint64_t)use << 32 | index};
    return object;
}

static inline uint32_t tco_pointer_index(tc_gptr object)
{
    return (uint32_t)object.offset;
}

static inline uint32_t tco_pointer_use(tc_gptr object)
{
    return (uint32_t)(object.offset >> 32);
}

static inline bool tco_pointer_equal(tc_gptr a, tc_gptr b)
{
    return a.offset == b.offset && a.rank == b.rank;
}

static inline bool tco_pointer_is_valid(tc_gptr object, uint32_t ranks)
{
    return object.window == TCO_WINDOW && object.generation == TCO_GENERATION &&
           object.rank < ranks && tco_pointer_use(object) > 0;
}

/* Checks a pointer, with a text.
 *
 *   TC_OK         it may be an object's
 *   TC_E_INVALID  it never was one; the text has the value found and the one expected */
TC_MUST_CHECK tc_status tco_pointer_check(tc_gptr object, uint32_t ranks, tc_error *err);

#endif
