// The bytes of an answer as a value: a part of <tc/tchains.hpp>, which lists the types that it
// may have.
//
// An answer of several values, a std::tuple, lies as a message of them. A peer has written it,
// so each length that it states is compared with the bytes that there are before it is used.
#ifndef TC_ANSWER_HPP
#define TC_ANSWER_HPP

#include <tc/message.hpp>

#include <array>
#include <optional>
#include <vector>

namespace tc::detail
{

template <typename T> struct several : std::false_type {
};
template <typename... T> struct several<std::tuple<T...>> : std::true_type {
    static constexpr bool is_fixed = (std::is_trivially_copyable_v<T> && ...);
};

// The memory for an answer, and the answer's value. A type of fixed size has as many bytes as
// its value.
template <typename R> class answer_room
{
    static constexpr bool is_fixed = std::is_trivially_copyable_v<R>;
    using element =
        std::remove_const_t<typename element_of<std::conditional_t<is_fixed, void, R>>::type>;

  public:
    explicit answer_room(std::size_t room)
    {
        if constexpr (!is_fixed)
            bytes_.resize(room / sizeof(element));
        else
            (void)room;
    }
    void *data() noexcept
    {
        return bytes_.data();
    }
    std::size_t size() const noexcept
    {
        return bytes_.size() * sizeof *bytes_.data();
    }
    // The value of an answer of so many bytes; no value, and an error, when that is no R.
    std::optional<R> value(std::size_t bytes, tc_error &err) noexcept
    {
        if constexpr (is_fixed) {
            if (bytes == sizeof(R))
                return take<R>(bytes_.data());
            (void)fail(err, TC_E_CORRUPT, "answer of %zu bytes, expected %zu", bytes,
                       sizeof(R));
        } else {
            if (bytes % sizeof(element) == 0) {
                bytes_.resize(bytes / sizeof(element)); // smaller: nothing is allocated
                return std::move(bytes_);
            }
            (void)fail(err, TC_E_CORRUPT, "answer of %zu bytes, expected a multiple of %zu",
                       bytes, sizeof(element));
        }
        return std::nullopt;
    }

  private:
    struct fixed {
        alignas(alignment_max) char bytes[sizeof(std::conditional_t<is_fixed, R, char>)];
        char *data() noexcept
        {
            return bytes;
        }
        const char *data() const noexcept
        {
            return bytes;
        }
        std::size_t size() const noexcept
        {
            return sizeof bytes;
        }
    };
    std::conditional_t<is_fixed, fixed, R> bytes_;
};

// --- answers of several values ---------------------------------------------------------------

// One of several values of an answer as it lies: itself, or a view of its elements.
template <typename T> constexpr auto answer_part_of()
{
    using element =
        typename element_of<std::conditional_t<std::is_trivially_copyable_v<T>, void, T>>::type;
    if constexpr (std::is_trivially_copyable_v<T>) {
        static_assert(!rest_of<T>::value, "an answer owns its elements: a std::vector");
        return static_cast<T *>(nullptr);
    } else {
        static_assert(!std::is_void_v<element>,
                      "a value of an answer is trivially copyable, or has data() and size()");
        return static_cast<view<std::remove_const_t<element>> *>(nullptr);
    }
}
template <typename T> using answer_part = std::remove_pointer_t<decltype(answer_part_of<T>())>;

// Takes the values of an answer out of its bytes.
template <typename R> struct answer_values;
template <typename... R> struct answer_values<std::tuple<R...>> {
    using shape = arrangement<answer_part<R>...>;
    struct extent {
        std::size_t begin, size; // bytes
    };

    // No values, and an error, when they are no R...
    static std::optional<std::tuple<R...>> of(const char *bytes, std::size_t size,
                                              tc_error &err)
    {
        extent found[shape::count + 1];
        if (!find(bytes, size, found, err))
            return std::nullopt;
        return made(bytes, found, std::index_sequence_for<R...>());
    }

  private:
    static bool wrong(tc_error &err, const char *format, std::size_t found,
                      std::size_t expected) noexcept
    {
        return fail(err, TC_E_CORRUPT, format, found, expected) == TC_OK;
    }
    static bool find(const char *bytes, std::size_t size, extent *found, tc_error &err) noexcept
    {
        constexpr std::size_t fixed = shape::fixed();
        if (shape::last() == shape::count && size != fixed)
            return wrong(err, "answer of %zu bytes, expected %zu", size, fixed);
        if (size < fixed)
            return wrong(err, "answer of %zu bytes, expected at least %zu", size, fixed);
        std::size_t end = fixed;
        for (std::size_t i = 0; i < shape::count; i++) {
            found[i] = {shape::place(i), shape::sizes[i]};
            if (!shape::varies[i])
                continue;
            if (!find_elements(i, bytes, size, end, found[i], err))
                return false;
            end = found[i].begin + found[i].size;
        }
        return true;
    }
    // Finds the elements of a varying value, which follow `end`.
    static bool find_elements(std::size_t i, const char *bytes, std::size_t size,
                              std::size_t end, extent &found, tc_error &err) noexcept
    {
        const std::size_t begin = place_for(end, shape::alignments[i]);
        if (begin > size)
            return wrong(err, "answer of %zu bytes, expected at least %zu", size, begin);
        std::size_t elements = (size - begin) / shape::sizes[i];
        if (i == shape::last()) {
            if (elements * shape::sizes[i] != size - begin)
                return wrong(err,
                             "answer with %zu bytes in its last array, expected a multiple of "
                             "%zu",
                             size - begin, shape::sizes[i]);
        } else {
            const auto stated = take<std::uint64_t>(bytes + found.begin);
            if (stated > elements)
                return wrong(err, "answer with an array of %zu elements, expected at most %zu",
                             static_cast<std::size_t>(stated), elements);
            elements = static_cast<std::size_t>(stated);
        }
        found = {begin, elements * shape::sizes[i]};
        return true;
    }
    template <typename T> static T one(const char *bytes, const extent &found)
    {
        if constexpr (std::is_trivially_copyable_v<T>) {
            return take<T>(bytes + found.begin);
        } else {
            T elements;
            elements.resize(found.size / sizeof *elements.data());
            if (found.size > 0)
                std::memcpy(elements.data(), bytes + found.begin, found.size);
            return elements;
        }
    }
    template <std::size_t... I>
    static std::optional<std::tuple<R...>> made(const char *bytes, const extent *found,
                                                std::index_sequence<I...>)
    {
        (void)bytes, (void)found; // without values
        return std::optional<std::tuple<R...>>(std::in_place, one<R>(bytes, found[I])...);
    }
};

template <typename... R> class answer_room<std::tuple<R...>>
{
    using values = answer_values<std::tuple<R...>>;
    static constexpr std::size_t fixed = values::shape::fixed();
    static constexpr bool is_fixed = several<std::tuple<R...>>::is_fixed;

  public:
    explicit answer_room(std::size_t room)
    {
        if constexpr (!is_fixed)
            bytes_.resize(room);
        else
            (void)room;
    }
    void *data() noexcept
    {
        return bytes_.data();
    }
    std::size_t size() const noexcept
    {
        return is_fixed ? fixed : bytes_.size();
    }
    std::optional<std::tuple<R...>> value(std::size_t bytes, tc_error &err) const
    {
        return values::of(bytes_.data(), bytes, err);
    }

  private:
    std::conditional_t<is_fixed, std::array<char, fixed + 1>, std::vector<char>> bytes_{};
};

// --- answers of a group ----------------------------------------------------------------------

// The answers of all ranks, one behind the other.
template <typename R> class answers_of_ranks
{
    static_assert(std::is_trivially_copyable_v<R> || several<R>::is_fixed,
                  "the answers have one size");

  public:
    explicit answers_of_ranks(std::size_t ranks) : rooms_(ranks * size() + 1), sizes_(ranks)
    {
    }
    char *data() noexcept
    {
        return rooms_.data();
    }
    std::size_t *sizes() noexcept
    {
        return sizes_.data();
    }
    static std::size_t size() noexcept
    {
        return answer_room<R>(0).size();
    }
    // None, and an error, if one of them is no R, or there is an error already.
    std::vector<R> values(tc_error &err) const
    {
        std::vector<R> values;
        for (std::size_t rank = 0; rank < sizes_.size() && err.status == TC_OK; rank++) {
            if (auto value = of_rank(rank, err))
                values.push_back(*std::move(value));
        }
        if (err.status != TC_OK)
            values.clear();
        return values;
    }

  private:
    std::optional<R> of_rank(std::size_t rank, tc_error &err) const
    {
        const char *bytes = rooms_.data() + rank * size();
        if constexpr (!std::is_trivially_copyable_v<R>)
            return answer_values<R>::of(bytes, sizes_[rank], err);
        else if (sizes_[rank] == sizeof(R))
            return take<R>(bytes);
        (void)fail(err, TC_E_CORRUPT, "answer of %zu bytes, expected %zu", sizes_[rank],
                   size());
        return std::nullopt;
    }

    std::vector<char> rooms_;
    std::vector<std::size_t> sizes_;
};

} // namespace tc::detail

#endif
