// Arguments of a call as the bytes of a payload: a part of <tc/tchains.hpp>, which lists the
// types that they may have.
#ifndef TC_MESSAGE_HPP
#define TC_MESSAGE_HPP

#include <tc/function.hpp>

#include <cstdio>
#include <memory>
#include <new>

namespace tc::detail
{

inline tc_status fail(tc_error &err, tc_status status, const char *format, std::size_t found,
                      std::size_t expected) noexcept
{
    err.status = status;
    (void)std::snprintf(err.text, sizeof err.text, format, found, expected);
    return status;
}

// --- arguments to bytes ----------------------------------------------------------------------

template <typename A, typename = void> struct element_of {
    using type = void;
};
template <typename A>
struct element_of<A, std::void_t<decltype(std::declval<const A &>().data()),
                                 decltype(std::declval<const A &>().size())>> {
    using type = std::remove_pointer_t<decltype(std::declval<const A &>().data())>;
};
template <typename A, typename = void> struct has_places : std::false_type {
};
template <typename A>
struct has_places<A, std::void_t<decltype(std::tuple_size<A>::value)>> : std::true_type {
};

// The type that an argument travels as: its own, or a view of its elements. A std::array has
// its own.
template <typename A> constexpr auto part_of()
{
    using plain = std::remove_cv_t<std::remove_reference_t<A>>;
    using element = typename element_of<plain>::type;
    if constexpr (std::is_convertible_v<const plain &, std::string_view>)
        return static_cast<std::string_view *>(nullptr);
    else if constexpr (std::is_array_v<plain>)
        return static_cast<view<const std::remove_extent_t<plain>> *>(nullptr);
    else if constexpr (!std::is_void_v<element> && !has_places<plain>::value)
        return static_cast<view<const std::remove_const_t<element>> *>(nullptr);
    else
        return static_cast<plain *>(nullptr);
}
template <typename A> using part = std::remove_pointer_t<decltype(part_of<A>())>;

// The parameters as the sender has them: it does not change their elements.
template <typename P> struct read_only {
    using type = P;
};
template <typename T> struct read_only<view<T>> {
    using type = view<const T>;
};
template <typename... P> struct read_only<std::tuple<P...>> {
    using type = std::tuple<typename read_only<P>::type...>;
};
template <typename P> using read_only_t = typename read_only<P>::type;

// --- how values lie --------------------------------------------------------------------------

// The offsets of the values of a message or an answer, by docs/payload-layout.md: a struct of
// all but the last varying one, of which each varying one is a number of elements, and then the
// elements of the varying ones.
template <typename... P> struct arrangement {
    using word = std::uint64_t;

    static constexpr std::size_t count = sizeof...(P);
    static constexpr bool varies[count + 1] = {rest_of<P>::value..., false};
    static constexpr std::size_t sizes[count + 1] = {sizeof(typename rest_of<P>::element)...,
                                                     0};
    static constexpr std::size_t alignments[count + 1] = {
        alignof(typename rest_of<P>::element)..., 1};

    // The last varying value; `count`: nothing varies.
    static constexpr std::size_t last() noexcept
    {
        for (std::size_t i = count; i > 0; i--) {
            if (varies[i - 1])
                return i - 1;
        }
        return count;
    }
    // Where a value is in the struct; that of `count` is the size of the struct.
    static constexpr std::size_t place(std::size_t value) noexcept
    {
        std::size_t end = 0, largest = 1;
        for (std::size_t i = 0; i < count && i <= value; i++) {
            if (i == last())
                continue;
            const std::size_t alignment = varies[i] ? alignof(word) : alignments[i];
            end = place_for(end, alignment);
            if (i == value)
                return end;
            end += varies[i] ? sizeof(word) : sizes[i];
            largest = alignment > largest ? alignment : largest;
        }
        return last() == count ? place_for(end, largest) : end;
    }
    static constexpr std::size_t fixed() noexcept
    {
        return place(count);
    }
};

// --- the message -----------------------------------------------------------------------------

// The payload of some parts, which have to live as long.
template <typename... P> class payload
{
    using shape = arrangement<P...>;
    static constexpr bool has_rest = shape::last() < shape::count;

  public:
    explicit payload(const P &...parts) noexcept
    {
        pack(std::index_sequence_for<P...>(), parts...);
    }
    payload(const payload &) = delete;
    payload &operator=(const payload &) = delete;

    const void *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }
    // false: there was no memory.
    bool is_packed() const noexcept
    {
        return size_ == 0 || data_ != nullptr;
    }

  private:
    template <typename T> static std::size_t bytes_of(const T &value) noexcept
    {
        if constexpr (rest_of<T>::value)
            return value.size() * sizeof(typename rest_of<T>::element);
        else
            return 0;
    }
    // Where a value's elements end, if those in front of it end there.
    template <typename T> static std::size_t end_of(const T &value, std::size_t end) noexcept
    {
        if constexpr (rest_of<T>::value)
            return place_for(end, alignof(typename rest_of<T>::element)) + bytes_of(value);
        else
            return end;
    }
    template <std::size_t I, typename T>
    static void put(char *bytes, std::size_t &end, const T &value) noexcept
    {
        constexpr std::size_t place = shape::place(I);
        if constexpr (!rest_of<T>::value) {
            std::memcpy(bytes + place, &value, sizeof value);
        } else {
            if constexpr (I != shape::last()) {
                const std::uint64_t elements = value.size();
                std::memcpy(bytes + place, &elements, sizeof elements);
            }
            end = end_of(value, end);
            if (!value.empty())
                std::memcpy(bytes + end - bytes_of(value), value.data(), bytes_of(value));
        }
    }
    template <std::size_t... I> void pack(std::index_sequence<I...>, const P &...parts) noexcept
    {
        std::size_t end = shape::fixed();
        ((end = end_of(parts, end)), ...);
        size_ = end;
        if constexpr (sizeof...(P) == 1 && has_rest) {
            data_ = (parts.data(), ...);
        } else {
            if (size_ > sizeof few_)
                many_.reset(new (std::nothrow) char[size_]());
            char *bytes = size_ > sizeof few_ ? many_.get() : few_;
            end = shape::fixed();
            if (bytes != nullptr)
                (put<I>(bytes, end, parts), ...);
            data_ = bytes;
        }
    }

    alignas(alignment_max) char few_[shape::fixed() + (has_rest ? 256 : 1)] = {};
    std::unique_ptr<char[]> many_;
    const void *data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace tc::detail

#endif
