// Lambdas and functors that can be sent: the part that both sides of such a function share.
//
// A source that the program and tc-clang compile, each for itself (a header and a file that
// includes it will do):
//
//     #include <tc/function.hpp>
//
//     inline auto above(double limit)          // the captures travel with every message
//     {
//         return [limit](tc::view<const double> column) {
//             std::uint64_t count = 0;
//             for (double value : column)
//                 count += value > limit;
//             return count;
//         };
//     }
//     TC_FUNCTION(above, decltype(above(0)));
//
// `tc-clang --name=above` (in CMake: tc_add_ifunc(above SOURCES ...)) makes the function of it,
// and the program calls it with the captures and arguments that it likes (<tc/tchains.hpp>):
//
//     tc::function<decltype(above(0))> count(ctx);
//     std::uint64_t n = count(ep, above(0.5), column);
//
// The bytes of the closure and of the arguments travel, never code of the program: the code is
// the archive's. So the closure has to be trivially copyable, which is checked, and must hold
// no addresses, which no compiler can check: a capture by reference or a pointer means nothing
// in another process. Parameters are trivially copyable, too; the last one may be a
// tc::view<const T>, a tc::view<T> (the bytes of the message, which the function may change) or
// a std::string_view, and is the rest of the message. The result is nothing, trivially
// copyable, or a container of such elements with data() and size().
//
// Both sides compile the closure: by compilers with one C++ ABI, for machines that lay the
// types out alike (docs/payload-layout.md). A message says how large its parts are, and one
// that was packed otherwise is refused with TC_E_INVALID; so is one that is cut. The sender
// chooses all other contents of a message: a function checks numbers that it uses as sizes or
// indices.
//
// C++17. This header needs neither exceptions nor anything of libstdc++.so at the target.
#ifndef TC_FUNCTION_HPP
#define TC_FUNCTION_HPP

#include <tc/entry.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tc
{

// Elements that it does not own: a pointer and a number. Made of any type with data() and
// size(), of arrays, and taken by std::span where there is one.
template <typename T> class view
{
  public:
    using value_type = std::remove_cv_t<T>;

    constexpr view() noexcept = default;
    constexpr view(T *data, std::size_t size) noexcept : begin_(data), size_(size)
    {
    }
    template <std::size_t Size> constexpr view(T (&array)[Size]) noexcept : view(array, Size)
    {
    }
    template <typename C, typename = std::enable_if_t<
                              std::is_convertible_v<decltype(std::declval<C &>().data()), T *>>>
    constexpr view(C &&container) noexcept : view(container.data(), container.size())
    {
    }

    constexpr T *data() const noexcept
    {
        return begin_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return begin_;
    }
    constexpr T *end() const noexcept
    {
        return begin_ + size_;
    }
    constexpr T &operator[](std::size_t place) const noexcept
    {
        return begin_[place];
    }

  private:
    T *begin_ = nullptr;
    std::size_t size_ = 0;
};

namespace detail
{

// --- parameters and result of a callable -----------------------------------------------------

template <typename M> struct member;
template <typename R, typename C, typename... A> struct member<R (C::*)(A...) const> {
    using result = R;
    using parameters = std::tuple<std::decay_t<A>...>;
};
template <typename R, typename C, typename... A>
struct member<R (C::*)(A...)> : member<R (C::*)(A...) const> {
};
template <typename R, typename C, typename... A>
struct member<R (C::*)(A...) const noexcept> : member<R (C::*)(A...) const> {
};
template <typename R, typename C, typename... A>
struct member<R (C::*)(A...) noexcept> : member<R (C::*)(A...) const> {
};

template <typename F, typename = void> struct has_one_call : std::false_type {
};
template <typename F>
struct has_one_call<F, std::void_t<decltype(&F::operator())>> : std::true_type {
};

template <typename F> struct callable {
    static_assert(has_one_call<F>::value, "a function that is sent has one operator() whose "
                                          "parameters have types: no auto, no overloads");
    static_assert(std::is_trivially_copyable_v<F>,
                  "captures travel as bytes: they have to be trivially copyable");
    using result = typename member<decltype(&F::operator())>::result;
    using parameters = typename member<decltype(&F::operator())>::parameters;
};

// --- how arguments lie in a message ----------------------------------------------------------

inline constexpr std::size_t alignment_max = 16; // of payloads

template <typename T> struct rest_of : std::false_type {
    static_assert(
        std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
        "parameters travel as bytes: trivially copyable, and no pointers; what varies in "
        "size is a tc::view or std::string_view, and the last one");
    static_assert(alignof(T) <= alignment_max, "a message is aligned to 16 bytes");
    using element = T;
};
template <typename T> struct rest_of<view<T>> : std::true_type {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                  "elements travel as bytes: trivially copyable, and no pointers");
    static_assert(alignof(T) <= alignment_max, "a message is aligned to 16 bytes");
    using element = T;
};
template <> struct rest_of<std::string_view> : std::true_type {
    using element = const char;
};

constexpr std::size_t place_for(std::size_t at, std::size_t alignment) noexcept
{
    return (at + alignment - 1) / alignment * alignment;
}

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept
{
    return (hash ^ value) * 0x100000001b3u;
}

// The offsets of the parts of a message: as the members of a C struct, with the part of
// variable size as the flexible array member (docs/payload-layout.md, which all languages
// follow).
template <typename P> struct layout;
template <typename... A> struct layout<std::tuple<A...>> {
    static constexpr std::size_t count = sizeof...(A);
    template <std::size_t I> using part = std::tuple_element_t<I, std::tuple<A...>>;

    template <std::size_t I> static constexpr std::size_t place() noexcept
    {
        if constexpr (I == 0)
            return 0;
        else
            return place_for(end<I - 1>(), alignof(typename rest_of<part<I>>::element));
    }
    template <std::size_t I> static constexpr std::size_t end() noexcept
    {
        static_assert(!rest_of<part<I>>::value || I + 1 == count,
                      "what varies in size is the last parameter");
        return place<I>() + (rest_of<part<I>>::value ? 0 : sizeof(part<I>));
    }
    // The size of all parts but the variable one; without such a part the size of the struct,
    // with its padding at the end.
    static constexpr std::size_t size() noexcept
    {
        if constexpr (count == 0)
            return 0;
        else
            return place_for(end<count - 1>(), has_rest() ? 1 : alignment());
    }
    static constexpr std::size_t alignment() noexcept
    {
        std::size_t largest = 1;
        ((largest = alignof(typename rest_of<A>::element) > largest
                        ? alignof(typename rest_of<A>::element)
                        : largest),
         ...);
        return largest;
    }
    static constexpr bool has_rest() noexcept
    {
        if constexpr (count == 0)
            return false;
        else
            return rest_of<part<count - 1>>::value;
    }
    // The first word of a message, which most likely differs for parts of other types.
    static constexpr std::uint64_t word() noexcept
    {
        std::uint64_t hash = 0xcbf29ce484222325u;
        ((hash = mix(mix(mix(hash, sizeof(typename rest_of<A>::element)),
                         alignof(typename rest_of<A>::element)),
                     rest_of<A>::value)),
         ...);
        return mix(hash, count);
    }
};

// A message of a closure: the word, the captures if there are any, the parameters.
template <typename F, bool = std::is_empty_v<F>> struct captured {
    using type = std::tuple<F>;
};
template <typename F> struct captured<F, true> {
    using type = std::tuple<>;
};
template <typename F>
using parts_of = decltype(std::tuple_cat(std::declval<std::tuple<std::uint64_t>>(),
                                         std::declval<typename captured<F>::type>(),
                                         std::declval<typename callable<F>::parameters>()));

// --- at the target ---------------------------------------------------------------------------

template <typename T> T take(const char *from) noexcept
{
    alignas(T) char bytes[sizeof(T)];
    std::memcpy(bytes, from, sizeof bytes);
    return *reinterpret_cast<T *>(bytes);
}

template <typename P> P part_at(char *from, std::size_t left) noexcept
{
    if constexpr (rest_of<P>::value) {
        using element = typename rest_of<P>::element;
        return P(reinterpret_cast<element *>(from), left / sizeof(element));
    } else {
        (void)left;
        return take<P>(from);
    }
}

template <typename R> void answer(const R &result) noexcept
{
    if constexpr (std::is_trivially_copyable_v<R>) {
        static_assert(!std::is_pointer_v<R>, "an address means nothing to who called");
        (void)tc_reply(&result, sizeof result);
    } else {
        static_assert(std::is_trivially_copyable_v<std::decay_t<decltype(*result.data())>>,
                      "a result is trivially copyable, or has data() and size() of what is");
        (void)tc_reply(result.data(), result.size() * sizeof *result.data());
    }
}

template <typename F, std::size_t... I>
void run(char *payload, std::size_t size, std::index_sequence<I...>)
{
    using shape = layout<parts_of<F>>;
    constexpr std::size_t first = std::is_empty_v<F> ? 1 : 2;
    alignas(F) char closure[sizeof(F)] = {};
    if constexpr (!std::is_empty_v<F>)
        std::memcpy(closure, payload + shape::template place<1>(), sizeof closure);
    F &function = *reinterpret_cast<F *>(closure);
    (void)size; // of one without parameters
    if constexpr (std::is_void_v<typename callable<F>::result>)
        function(part_at<typename shape::template part<first + I>>(
            payload + shape::template place<first + I>(),
            size - shape::template place<first + I>())...);
    else
        answer(function(part_at<typename shape::template part<first + I>>(
            payload + shape::template place<first + I>(),
            size - shape::template place<first + I>())...));
}

// NAME_main of a function F.
template <typename F> void serve(void *payload, std::size_t size)
{
    using shape = layout<parts_of<F>>;
    char *bytes = static_cast<char *>(payload);
    bool fits = shape::has_rest() ? size >= shape::size() : size == shape::size();
    if (!fits || take<std::uint64_t>(bytes) != shape::word()) {
        tc_self_fail(TC_E_INVALID,
                     "the message was packed for another function, or for another "
                     "version of this one");
        return;
    }
    run<F>(bytes, size,
           std::make_index_sequence<std::tuple_size_v<typename callable<F>::parameters>>());
}

} // namespace detail

// The name that TC_FUNCTION gave a type.
template <typename F> struct function_name;

} // namespace tc

// Gives the type of a closure or functor the name by which it is sent, at namespace scope of
// the global namespace. Compiled by tc-clang, it defines NAME_main as well.
//
//   name   of the function, without quotes: that of tc-clang's output
//   ...    the type: decltype(square), decltype(above(0)), a struct with an operator()
#define TC_FUNCTION(name, ...)                                                                 \
    template <> struct tc::function_name<__VA_ARGS__> {                                        \
        static constexpr const char *value = #name;                                            \
    };                                                                                         \
    TC_FUNCTION_ENTRY(name, __VA_ARGS__)                                                       \
    static_assert(true, "")
#ifdef __TC_CLANG__
#define TC_FUNCTION_ENTRY(name, ...)                                                           \
    extern "C" void name##_main(void *payload, std::size_t size, void *)                       \
    {                                                                                          \
        tc::detail::serve<__VA_ARGS__>(payload, size);                                         \
    }
#else
#define TC_FUNCTION_ENTRY(name, ...)
#endif

#endif
