/* Adds each number of the input to the one of the window, and answers with the sums. The range
 * has as many numbers as a segment. */
#include "../am_ops_shared.h"

TC_AM_FUNCTION(am_sum)(tc_am_unit *unit)
{
    const int64_t *input = (const int64_t *)unit->input;
    int64_t *output = (int64_t *)unit->output, *sums = (int64_t *)unit->persistent;
    const uint32_t numbers = unit->input_bytes / 8;
    if (unit->persistent_bytes != unit->input_bytes) {
        tc_am_fail(unit, TC_E_INVALID, "the range has another size than a segment");
        return;
    }
    for (uint32_t s = 0; s < unit->segments; s++) {
        for (uint32_t i = 0; i < numbers; i++) {
            sums[i] += input[s * numbers + i];
            if (unit->output_bytes > 0)
                output[s * numbers + i] = sums[i];
        }
    }
}
