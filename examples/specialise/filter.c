/* Answers one query. `specialise` replaces the bytes below by a query: in the bitcode of this
 * file, before any pass has run on it, so that nothing has been concluded from them. The
 * compiler of the node then sees a program that is a constant. */
#define FILTER_EACH_TERM _Pragma("clang loop unroll(full)")
#include "filter_rows.h"

/* No byte is zero, so the bitcode has them as they are and not as a text. */
#define FILLING 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee
static const uint8_t program[FILTER_PROGRAM_BYTES] = {
    FILTER_MARK, FILLING, FILLING, FILLING, FILLING, FILLING, FILLING,
    FILLING,     FILLING, FILLING, FILLING, FILLING, FILLING, FILLING};

void filter_main(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    (void)target_args;
    filter_reply(program);
}
