/* Answers with a multiple of a number, which its hole has. */
#include <stdint.h>
#include <string.h>
#include <tc/call.h>
#include <tc/entry.h>

TC_HOLE(slope, uint64_t);

void line_main(void *payload, size_t payload_size, void *target_args)
{
    uint64_t x;
    (void)target_args;
    if (payload_size < sizeof x)
        return;
    memcpy(&x, payload, sizeof x);
    x *= slope;
    (void)!tc_reply(&x, sizeof x);
}
