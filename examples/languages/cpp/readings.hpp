// Questions about readings that lie at a node, as closures: their captures travel, and the
// answer comes back. The program and tc-clang compile this file, each for itself.
#ifndef READINGS_HPP
#define READINGS_HPP

#include <tc/function.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

struct reading {
    std::uint32_t sensor;
    float value;
};
using readings = tc::view<const reading>;

// Those of the node that this runs at.
inline readings readings_here()
{
    std::size_t size = 0;
    const void *all = tc_self_data("readings", &size);
    return readings(static_cast<const reading *>(all), size / sizeof(reading));
}

// A lambda with captures. It calls a template of the standard library.
inline auto between(float low, float high)
{
    return [low, high]() -> std::uint64_t {
        const readings all = readings_here();
        return static_cast<std::uint64_t>(std::count_if(all.begin(), all.end(), [=](reading r) {
            return r.value >= low && r.value < high;
        }));
    };
}
TC_FUNCTION(between, decltype(between(0, 0)));

// A functor does as well. Its answer has one size.
struct histogram {
    float low, high;
    using counts = std::array<std::uint32_t, 8>;

    counts operator()() const
    {
        counts found = {};
        for (reading r : readings_here()) {
            float place = (r.value - low) / (high - low) * static_cast<float>(found.size());
            if (place >= 0 && place < static_cast<float>(found.size()))
                found[static_cast<std::size_t>(place)]++;
        }
        return found;
    }
};
TC_FUNCTION(histogram, histogram);

// Memory, an algorithm, an answer of variable size, and an exception that is not caught here.
struct highest {
    std::uint32_t count;

    std::vector<reading> operator()() const
    {
        const readings all = readings_here();
        if (count > all.size())
            throw std::out_of_range("fewer readings than that");
        std::vector<reading> best(count);
        std::partial_sort_copy(all.begin(), all.end(), best.begin(), best.end(),
                               [](reading a, reading b) { return a.value > b.value; });
        return best;
    }
};
TC_FUNCTION(highest, highest);

// Arguments beside the captures: they are the caller's own column, not the node's.
inline constexpr auto correlated = [](std::uint32_t sensor, tc::view<const float> shape) {
    double sum = 0;
    std::size_t at = 0;
    for (reading r : readings_here()) {
        if (r.sensor == sensor && at < shape.size())
            sum += static_cast<double>(r.value * shape[at++]);
    }
    return sum;
};
TC_FUNCTION(correlated, decltype(correlated));

#endif
