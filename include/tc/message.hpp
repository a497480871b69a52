// Arguments of a call as the bytes of a payload, and an answer's bytes as a value: a part of
// <tc/tchains.hpp>, which lists the types that they may have.
#ifndef TC_MESSAGE_HPP
#define TC_MESSAGE_HPP

#include <tc/function.hpp>

#include <cstdio>
#include <memory>
#include <new>
#include <optional>

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

// The payload of some parts, which have to live as long.
template <typename... P> class payload
{
    using shape = layout<std::tuple<P...>>;

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
    template <std::size_t I, typename T> void put(char *bytes, const T &value) noexcept
    {
        if constexpr (!rest_of<T>::value)
            std::memcpy(bytes + shape::template place<I>(), &value, sizeof value);
        else if (!value.empty())
            std::memcpy(bytes + shape::template place<I>(), value.data(), bytes_of(value));
    }
    template <typename T> static std::size_t bytes_of(const T &value) noexcept
    {
        if constexpr (rest_of<T>::value)
            return value.size() * sizeof(typename rest_of<T>::element);
        else
            return 0;
    }
    template <std::size_t... I> void pack(std::index_sequence<I...>, const P &...parts) noexcept
    {
        size_ = (shape::size() + ... + bytes_of(parts));
        if constexpr (sizeof...(P) == 1 && shape::has_rest()) {
            data_ = (parts.data(), ...);
        } else {
            if (size_ > sizeof few_)
                many_.reset(new (std::nothrow) char[size_]());
            char *bytes = size_ > sizeof few_ ? many_.get() : few_;
            if (bytes != nullptr)
                (put<I>(bytes, parts), ...);
            data_ = bytes;
        }
    }

    alignas(alignment_max) char few_[shape::has_rest() ? shape::size() + 256
                                                       : shape::size() + 1] = {};
    std::unique_ptr<char[]> many_;
    const void *data_ = nullptr;
    std::size_t size_ = 0;
};

// --- bytes to an answer ----------------------------------------------------------------------

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

} // namespace tc::detail

#endif
