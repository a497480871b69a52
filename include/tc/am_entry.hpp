// Operations of active messages that travel (<tc/am_entry.h>), in C++: functions of views.
//
//     #include <tc/am_entry.hpp>
//
//     static void absolute_sum(tc_am_unit &unit, tc::view<const std::int32_t> input,
//                              tc::view<std::int32_t> output, tc::view<std::int32_t> mine)
//     {
//         for (std::size_t i = 0; i < output.size(); i++)
//             output[i] = std::abs(input[i]) + std::abs(mine[i % mine.size()]);
//     }
//     TC_AM_OPERATION(absolute_sum);
//
// The macro makes absolute_sum_main, the entry that travels, and absolute_sum_am, for programs
// that compile the source into themselves, as TC_AM_FUNCTION does. Input and output have the
// elements of all segments of the unit, `mine` those of the range of the rank's window. Where
// bytes are no whole number of elements, or lie at no multiple of their alignment, the unit
// fails with TC_E_INVALID and the numbers, and the function does not run.
//
// A unit fails by tc_am_fail(&unit, ...), or by an exception: then the caller has the
// exception's text, and the rank takes the next one. The function must not wait, reply, forward
// or detach.
//
// C++17. This header needs neither exceptions nor anything of libstdc++.so at the target.
#ifndef TC_AM_ENTRY_HPP
#define TC_AM_ENTRY_HPP

#include <tc/am_entry.h>
#include <tc/function.hpp>

#include <cstdio>

namespace tc
{
namespace detail
{

using unit_pointer = tc_am_unit *;

// Returns whether `bytes` at `start` are elements of T; else the unit has failed.
template <typename T>
bool has_elements(tc_am_unit &unit, const char *whole, const char *lies, const void *start,
                  std::uint64_t bytes)
{
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                  "elements are bytes: trivially copyable, and no pointers");
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    const bool is_whole = bytes % sizeof(T) == 0;
    char text[TC_AM_TEXT_MAX];
    if (is_whole && (bytes == 0 || address % alignof(T) == 0))
        return true;
    (void)std::snprintf(text, sizeof text, "%s %llu, expected a multiple of %zu",
                        is_whole ? lies : whole,
                        static_cast<unsigned long long>(is_whole ? address : bytes),
                        is_whole ? alignof(T) : sizeof(T));
    tc_am_fail(&unit, TC_E_INVALID, text);
    return false;
}

template <typename T> view<T> elements(const void *start, std::uint64_t bytes)
{
    return {static_cast<T *>(const_cast<void *>(start)), std::size_t(bytes / sizeof(T))};
}

template <typename I, typename O, typename P>
void operate(void (*function)(tc_am_unit &, view<const I>, view<O>, view<P>), tc_am_unit &unit)
{
    if (has_elements<I>(unit, "segments of the input have the bytes", "the input lies at",
                        unit.input, unit.input_bytes) &&
        has_elements<O>(unit, "segments of the output have the bytes", "the output lies at",
                        unit.output, unit.output_bytes) &&
        has_elements<P>(unit, "the range has the bytes", "the range lies at", unit.persistent,
                        unit.persistent_bytes))
        function(unit,
                 elements<const I>(unit.input, std::uint64_t{unit.segments} * unit.input_bytes),
                 elements<O>(unit.output, std::uint64_t{unit.segments} * unit.output_bytes),
                 elements<P>(unit.persistent, unit.persistent_bytes));
}

} // namespace detail
} // namespace tc

// Makes an operation of a function of this file.
//
//   name  of the function, without quotes: that of tc-clang's output
#define TC_AM_OPERATION(name)                                                                  \
    TC_AM_FUNCTION(name)(tc::detail::unit_pointer unit)                                        \
    {                                                                                          \
        tc::detail::operate(&name, *unit);                                                     \
    }                                                                                          \
    static_assert(true, "")

#endif
