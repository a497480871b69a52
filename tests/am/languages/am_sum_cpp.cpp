// As ../shipped/am_sum.c; with a description it answers with the unit as it sees it.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <tc/am_entry.hpp>

static void see(const tc_am_unit &unit, tc::view<std::int64_t> output)
{
    auto *words = output.begin();
    for (std::uint32_t s = 0; s < unit.segments; s++) {
        const std::array<std::int64_t, 10> seen = {
            unit.first + s,
            unit.segments,
            unit.origin,
            unit.input_bytes,
            unit.output_bytes,
            static_cast<std::int64_t>(unit.persistent_bytes),
            unit.description_bytes,
            *static_cast<const char *>(unit.description),
            sizeof unit,
            unit.status};
        words = std::copy(seen.begin(), seen.end(), words);
    }
}

static void am_sum_cpp(tc_am_unit &unit, tc::view<const std::int64_t> input,
                       tc::view<std::int64_t> output, tc::view<std::int64_t> sums)
{
    if (unit.description_bytes > 0) {
        see(unit, output);
        return;
    }
    if (unit.persistent_bytes != unit.input_bytes) {
        tc_am_fail(&unit, TC_E_INVALID, "the range has another size than a segment");
        return;
    }
    for (std::size_t i = 0; i < input.size(); i++) {
        if (input[i] < 0)
            throw std::out_of_range("a number below 0");
        sums[i % sums.size()] += input[i];
        if (i < output.size())
            output[i] = sums[i % sums.size()];
    }
}
TC_AM_OPERATION(am_sum_cpp);
