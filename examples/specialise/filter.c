/* Answers one query. What that is takes the place of the bytes below when `specialise` has one:
 * in the bitcode of this file, which no pass has gone over yet, so that nothing has been
 * concluded from them. The compiler of the node then sees a program that is a constant. */
#define FILTER_EACH_TERM _Pragma("clang loop unroll(full)")
#include "filter_rows.h"

/* No byte is zero, so the bitcode has them as they are and not as a text. */
#define FILLING 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee
static const uint8_t program[FILTER_PROGRAM_BYTES] = {
    FILTER_MARK, FILLING, FILLING, FILLING, FILLING, FILLING, FILLING,
    FILLING,     FILLING, FILLING, FILLING, FILLING, FILLING, FILLING};

void filter_main(void *payload, size_t size, void *target_args);

void filter_main(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    (void)target_args;
    filter_reply(program);
}
