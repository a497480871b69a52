// Lambdas and functors that test_tchains.cpp sends; tc-clang makes a function of each.
#ifndef SENT_HPP
#define SENT_HPP

#include <tc/function.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// Captures, and a view that is only read.
inline auto above(double limit, std::uint16_t step)
{
    return [limit, step](tc::view<const double> column) {
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < column.size(); i += step)
            count += column[i] > limit;
        return count;
    };
}
TC_FUNCTION(above, decltype(above(0, 1)));

// No captures, no view.
inline constexpr auto weighted = [](std::uint8_t weight, double value) {
    return weight * value;
};
TC_FUNCTION(weighted, decltype(weighted));

// No parameters, and the answer varies in size.
struct squares {
    std::uint32_t count;
    std::vector<std::uint64_t> operator()() const
    {
        std::vector<std::uint64_t> all;
        for (std::uint64_t i = 0; i < count; i++)
            all.push_back(i * i);
        return all;
    }
};
TC_FUNCTION(squares, squares);

// Changes the message, answers with text, throws.
struct louder {
    bool fails;
    std::string operator()(tc::view<char> text) const
    {
        if (fails)
            throw std::runtime_error("too loud");
        for (char &letter : text)
            letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
        return std::string(text.data(), text.size());
    }
};
TC_FUNCTION(louder, louder);

// Has a variable at the target.
struct kept {
    std::uint64_t add;
    std::uint64_t operator()() const
    {
        static std::uint64_t sum;
        return sum += add;
    }
};
TC_FUNCTION(kept, kept);

#endif
