// The prototype of a call (docs/payload-layout.md), made of the types of its arguments and of
// its answer when it is compiled: a part of <tc/tchains.hpp>.
#ifndef TC_PROTOTYPE_HPP
#define TC_PROTOTYPE_HPP

#include <tc/answer.hpp>

#include <array>
#include <string_view>

namespace tc::detail
{

// A text in a constant.
class text_of_types
{
  public:
    constexpr text_of_types() = default;
    constexpr void add(const char *text) noexcept
    {
        while (*text != '\0')
            put(*text++);
    }
    constexpr void add(std::size_t number) noexcept
    {
        if (number >= 10)
            add(number / 10);
        put(static_cast<char>('0' + number % 10));
    }
    constexpr bool is(std::string_view text) const noexcept
    {
        return std::string_view(bytes_) == text;
    }
    constexpr const char *c_str() const noexcept
    {
        return bytes_;
    }
    constexpr bool fits() const noexcept
    {
        return size_ < sizeof bytes_;
    }

  private:
    constexpr void put(char c) noexcept
    {
        if (size_ + 1 < sizeof bytes_)
            bytes_[size_] = c;
        size_++;
    }

    char bytes_[512] = {};
    std::size_t size_ = 0;
};

// A number has a name; any other type has its size and its alignment. So have a plain char and
// a long double: sign and format differ between processors.
template <typename T> constexpr void add_element(text_of_types &text)
{
    if constexpr (std::is_enum_v<T>) {
        add_element<std::underlying_type_t<T>>(text);
    } else if constexpr (std::is_same_v<T, bool>) {
        text.add("bool");
    } else if constexpr (std::is_arithmetic_v<T> && sizeof(T) <= 8 &&
                         !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t>) {
        text.add(std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u");
        text.add(8 * sizeof(T));
    } else {
        text.add("?");
        text.add(sizeof(T));
        text.add(":");
        text.add(alignof(T));
    }
}

template <typename T> struct whole_array : std::false_type {
};
template <typename T, std::size_t N> struct whole_array<std::array<T, N>> : std::true_type {
    using element = T;
    static constexpr std::size_t count = N;
};

// A part of a message, or an answer, which has a fixed size if it is trivially copyable.
template <typename T, bool is_answer> constexpr void add_type(text_of_types &text)
{
    using plain = std::remove_cv_t<T>;
    if constexpr (whole_array<plain>::value) {
        add_element<typename whole_array<plain>::element>(text);
        text.add("[");
        text.add(whole_array<plain>::count);
        text.add("]");
    } else if constexpr (is_answer && std::is_trivially_copyable_v<plain>) {
        add_element<plain>(text);
    } else if constexpr (std::is_convertible_v<const plain &, std::string_view>) {
        text.add("text");
    } else if constexpr (!std::is_void_v<typename element_of<plain>::type>) {
        add_element<std::remove_cv_t<typename element_of<plain>::type>>(
            text); // a view, a vector
        text.add("[]");
    } else {
        add_element<plain>(text);
    }
}

template <typename T, bool is_answer> constexpr text_of_types text_of_type()
{
    text_of_types text;
    add_type<T, is_answer>(text);
    return text;
}

// As the library compares them.
constexpr bool agree(const text_of_types &a, const text_of_types &b)
{
    const auto is_bytes = [](const text_of_types &text) {
        return text.is("text") || text.is("u8[]") || text.is("i8[]") || text.is("bool[]") ||
               text.is("?1:1[]");
    };
    return a.is(b.c_str()) || (is_bytes(a) && is_bytes(b));
}

class argument_list
{
  public:
    constexpr void add(const char *way, const text_of_types &type)
    {
        text.add(text.is("") ? "(" : ",");
        text.add(way);
        text.add(type.c_str());
    }
    constexpr void end()
    {
        text.add(text.is("") ? "()" : ")");
    }
    text_of_types text;
};

// Adds arguments of which the answer's values behind the first one come back: an array is
// changed, or its capacity is an argument; any other is a part of the answer alone. Arguments
// are taken in order, so a function that takes these and answers so agrees, wherever its own
// are marked. False: there can be none with a prototype.
template <std::size_t arguments, std::size_t answers>
constexpr bool add_arguments(argument_list &list, const text_of_types *given,
                             const text_of_types *answer, const bool *varies)
{
    std::size_t next = 1;
    for (std::size_t i = 0; i <= arguments; i++) {
        for (; next < answers && !varies[next]; next++)
            list.add("out ", answer[next]);
        if (i == arguments)
            break;
        if (next < answers && agree(given[i], answer[next])) {
            list.add("inout ", given[i]);
            next++;
        } else if (next < answers && given[i].is("u64")) {
            list.add("out ", answer[next++]);
        } else {
            list.add("", given[i]);
        }
    }
    list.end();
    return next >= answers;
}

// The text for a std::tuple. Fixed values alone are a struct, or several values: any answer.
template <typename... P, typename... R>
constexpr text_of_types text_of_several(const std::tuple<R...> *)
{
    constexpr std::size_t answers = sizeof...(R);
    const text_of_types given[] = {text_of_type<P, false>()..., {}};
    const text_of_types answer[] = {text_of_type<R, true>()..., {}};
    const bool varies[] = {!std::is_trivially_copyable_v<R>..., false};
    argument_list list, plain;
    const bool is_struct = answers > 1 && (std::is_trivially_copyable_v<R> && ...);
    (void)add_arguments<sizeof...(P), 0>(plain, given, answer, varies);
    if (is_struct || !add_arguments<sizeof...(P), answers>(list, given, answer, varies)) {
        plain.text.add("->*");
        return plain.text;
    }
    if (answers > 0) {
        list.text.add("->");
        list.text.add(answer[0].c_str());
    }
    return list.text;
}

template <typename R, typename... P> constexpr text_of_types prototype_text()
{
    if constexpr (several<R>::value) {
        return text_of_several<P...>(static_cast<const R *>(nullptr));
    } else {
        argument_list list;
        (list.add("", text_of_type<P, false>()), ...);
        list.end();
        list.text.add("->");
        if constexpr (std::is_void_v<R>)
            list.text.add("*");
        else
            add_type<R, true>(list.text);
        return list.text;
    }
}

// The prototype of a call with these parts and an answer of R; void takes any.
template <typename R, typename... P>
inline constexpr text_of_types prototype_of = prototype_text<R, P...>();

// Compares it with the function's: once per function and kind of call, so each further call
// costs a comparison.
template <typename R, typename... P> tc_status check_prototype(tc_ifunc *fn, tc_error &err)
{
    static_assert(prototype_of<R, P...>.fits(), "the prototype has more than 511 characters");
    return tc_ifunc_check_prototype(fn, prototype_of<R, P...>.c_str(), &err);
}

} // namespace tc::detail

#endif
