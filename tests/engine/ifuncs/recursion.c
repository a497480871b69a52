/* Mutual recursion that no optimiser unrolls, 128-bit division (a call of a compiler's helper),
 * and a local array. */
#include <stddef.h>
#include <stdint.h>

static uint64_t ackermann(uint64_t m, uint64_t n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

void recursion_main(void *payload, size_t payload_size, void *target_args)
{
    uint64_t *in = payload;
    (void)payload_size;
    unsigned __int128 wide = (unsigned __int128)in[0] << 64 | in[1];
    uint64_t *out = target_args;
    out[0] = ackermann(2, 3);
    out[1] = (uint64_t)(wide / in[2]);
    out[2] = (uint64_t)(wide % in[2]);
}
