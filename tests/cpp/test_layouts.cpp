// The bytes of messages and answers of several values, and their prototypes: without a node.
// The messages are those of tests/python/test_prototypes.py.
#include "check.hpp"

#include <tc/tchains.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace
{

using doubles = std::vector<double>;
using floats = std::vector<float>;
using words = std::vector<std::uint16_t>;

struct pair {
    std::int32_t first;
    std::uint8_t second, unused[3];
};

template <typename... A> std::string hex_of(const A &...arguments)
{
    tc::detail::payload<tc::detail::part<A>...> packed{tc::detail::part<A>(arguments)...};
    const auto *bytes = static_cast<const unsigned char *>(packed.data());
    std::string hex;
    for (std::size_t i = 0; i < packed.size(); i++) {
        char digits[3];
        (void)std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(bytes[i]));
        hex += digits;
    }
    return hex;
}

void messages_have_the_bytes_of_other_languages()
{
    const std::uint8_t nine = 9, one = 1;
    const std::array<pair, 2> pairs = {pair{1, 2, {}}, pair{3, 4, {}}};
    const std::array<std::int16_t, 3> three = {1, 2, 3};
    CHECK(hex_of().empty());
    CHECK(hex_of(7, 0.5) == "0700000000000000000000000000e03f");
    CHECK(hex_of(0.5, 7) == "000000000000e03f0700000000000000");
    CHECK(hex_of(0.5, 7, floats{1.5F, 2.25F}) == "000000000000e03f070000000000c03f00001040");
    CHECK(hex_of(1, doubles()) == "0100000000000000");
    CHECK(hex_of(one, "ab") == "016162");
    CHECK(hex_of(floats{1.5F}, nine) == "090000000000c03f");
    CHECK(hex_of(words{1, 2}, nine, doubles{0.5}) ==
          "02000000000000000900010002000000000000000000e03f");
    CHECK(hex_of("a", "bc", 3U) == "010000000000000003000000616263");
    CHECK(hex_of(pairs, true) == "0100000002000000030000000400000001000000");
    CHECK(hex_of(three, std::int8_t{-1}) == "010002000300ff00");
    CHECK(hex_of(std::array<char, 4>{'a', 'b', 'c', 'd'}, std::int64_t{1}) ==
          "61626364000000000100000000000000");
    const std::string large(5000, 'x');
    CHECK(hex_of(large, doubles{0.5}).size() == 2 * (8 + 5000 + 8));
    const doubles alone{1, 2};
    tc::detail::payload<tc::view<const double>> packed{alone};
    CHECK(packed.data() == alone.data() && packed.size() == 16); // it is not copied
}

template <typename R, typename... A> std::string text_of()
{
    return tc::detail::prototype_of<R, tc::detail::part<A>...>.c_str();
}

void prototypes_say_what_comes_back()
{
    using u64 = std::uint64_t;
    CHECK((text_of<void, doubles, const char *>()) == "(f64[],text)->*");
    CHECK((text_of<double, floats, float, words>()) == "(f32[],f32,u16[])->f64");
    CHECK((text_of<std::tuple<>, int>()) == "(i32)");
    CHECK((text_of<std::tuple<double>, int>()) == "(i32)->f64");
    CHECK((text_of<std::tuple<double, bool>, int>()) == "(i32)->*"); // a struct, or two values
    CHECK((text_of<std::tuple<double, floats, pair, words>, floats, u64>()) ==
          "(inout f32[],out ?8:4,out u16[])->f64");
    CHECK((text_of<std::tuple<double, floats>, u64, floats>()) == "(out f32[],f32[])->f64");
    CHECK((text_of<std::tuple<std::string, std::vector<char>>, std::string, bool>()) ==
          "(inout text,bool)->text");
    CHECK((text_of<std::tuple<floats, bool>, doubles>()) == "(out bool,f64[])->f32[]");
    CHECK((text_of<std::tuple<double, floats>, doubles>()) == "(f64[])->*"); // no function's
}

template <typename R> std::optional<R> value_of(const std::string &bytes, std::string &text)
{
    tc_error err;
    tc::detail::answer_room<R> room(1024);
    CHECK(room.size() >= bytes.size());
    std::memcpy(room.data(), bytes.data(), bytes.size());
    auto value = room.value(bytes.size(), err);
    CHECK(value || err.status == TC_E_CORRUPT);
    text = value ? "" : err.text;
    return value;
}

template <typename... A> std::string bytes_of(const A &...arguments)
{
    tc::detail::payload<tc::detail::part<A>...> packed{tc::detail::part<A>(arguments)...};
    return {static_cast<const char *>(packed.data()), packed.size()};
}

void answers_are_values_again()
{
    using all =
        std::tuple<std::uint8_t, floats, std::string, std::array<std::int16_t, 3>, doubles>;
    std::string text;
    for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{7}}) {
        const all sent{std::uint8_t{3},
                       floats(size, 2),
                       std::string(size, 'x'),
                       {1, 2, 3},
                       doubles(size, 0.5)};
        const std::string bytes =
            std::apply([](const auto &...values) { return bytes_of(values...); }, sent);
        CHECK(value_of<all>(bytes, text) == sent);
    }
    using two = std::tuple<double, std::uint8_t>;
    CHECK(value_of<two>(bytes_of(0.5, std::uint8_t{1}), text) == two(0.5, 1));
    CHECK(value_of<std::tuple<>>("", text));
    using one = std::tuple<words>;
    CHECK(value_of<one>("abcd", text) == one(words{0x6261, 0x6463}));
}

// The peer chooses the bytes.
void answers_that_do_not_fit_are_refused()
{
    using two = std::tuple<double, std::uint8_t>;
    using arrays = std::tuple<words, std::uint8_t, doubles>;
    std::string text;
    CHECK(!value_of<two>("123456789", text) && text == "answer of 9 bytes, expected 16");
    CHECK(!value_of<arrays>("12345678", text) &&
          text == "answer of 8 bytes, expected at least 9");
    const std::string good = bytes_of(words{1, 2}, std::uint8_t{9}, doubles{0.5});
    CHECK(value_of<arrays>(good, text));
    CHECK(!value_of<arrays>(good.substr(0, 15), text) &&
          text == "answer of 15 bytes, expected at least 16");
    CHECK(!value_of<arrays>(good.substr(0, 23), text) &&
          text == "answer with 7 bytes in its last array, expected a multiple of 8");
    for (char count : {'\x08', '\xff'}) {
        std::string bad = good;
        bad[0] = count;
        CHECK(!value_of<arrays>(bad, text));
        CHECK(text == "answer with an array of " +
                          std::to_string(static_cast<unsigned char>(count)) +
                          " elements, expected at most 7");
    }
    for (std::size_t size = 0; size < 64; size++) {
        for (char fill : {'\0', '\1', '\x7f', '\xff'}) {
            const std::string bytes(size, fill);
            (void)value_of<arrays>(bytes, text);
            (void)value_of<std::tuple<std::string, words, std::string>>(bytes, text);
        }
    }
}

} // namespace

int main()
{
    messages_have_the_bytes_of_other_languages();
    prototypes_say_what_comes_back();
    answers_are_values_again();
    answers_that_do_not_fit_are_refused();
    std::puts("all is well");
}
