// Calls the functions of several.h of every language, by tc::call.
//   several_from_cpp SEVERAL.TXT ADDRESS FOLDER LANGUAGE...     functions are found by
//   TC_IFUNC_PATH
#include "golden.h"
#include "several.h"

#include <tc/tchains.hpp>

#include <string>

namespace
{

using doubles = std::vector<double>;
using floats = std::vector<float>;
using numbers = std::vector<std::int32_t>;
using points = std::vector<point>;
using bytes = std::vector<std::uint8_t>;
using blended = std::tuple<double, floats, tally, numbers>;

struct sender {
    tc::context &ctx;
    tc_ep *ep;
    const char *golden;
    std::string language;

    tc::ifunc open(const char *name) const
    {
        return ctx.open((name + ("_" + language)).c_str());
    }
    void require(bool holds, const char *name) const
    {
        ::require(holds, name, language.c_str(), "from C++: another answer");
    }
    template <typename... A> void compare(const char *name, const A &...arguments) const
    {
        unsigned char expected[GOLDEN_MAX];
        tc::detail::payload<tc::detail::part<A>...> packed{tc::detail::part<A>(arguments)...};
        ::require(golden_bytes(golden, name, expected) == packed.size() &&
                      std::memcmp(expected, packed.data(), packed.size()) == 0,
                  name, language.c_str(), "from C++: other bytes than in the file");
    }
    template <typename R, typename... A>
    void refuse(const tc::ifunc &fn, const char *name, const A &...arguments) const
    {
        tc_error err = {};
        auto found = tc::try_call<R>(err, {ep, fn}, arguments...);
        ::require(!found && err.status == TC_E_VERSION &&
                      std::strstr(err.text, tc_ifunc_prototype(fn)) != nullptr,
                  name, language.c_str(), "from C++: another prototype was not refused");
    }
};

bool same(const points &a, const points &b)
{
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

void blend(const sender &to)
{
    const tc::ifunc fn = to.open("blend");
    const limits all{1.5, 4};
    const doubles a{1, 2, 3, 4, 5};
    const floats values{1.5F, 2.25F, -1};
    const std::string name = "h\xc3\xa9\xc3\xa9";
    to.compare("blend", all, name, a, values, std::uint64_t{6}, true);
    to.compare("blend_none", limits{0, 0}, std::string(), doubles(), floats(), std::uint64_t{0},
               false);
    auto [sum, doubled, found, codes] =
        tc::call<blended>({to.ep, fn}, all, name, a, values, std::uint64_t{6}, true);
    to.require(sum == 9 && doubled == floats{3, 4.5F, -2} && found.sum == 2.75 &&
                   found.count == 5 && codes == numbers{'h', 0xc3, 0xa9, 0xc3, 0xa9, -1},
               "blend");
    auto [zero, none, nothing, no_codes] = tc::call<blended>(
        {to.ep, fn}, limits{0, 0}, std::string(), doubles(), floats(), std::uint64_t{0}, false);
    to.require(zero == 0 && none.empty() && nothing.count == 0 && no_codes.empty(),
               "blend of none");
    to.refuse<blended>(fn, "blend", all, name, a, doubles{1}, std::uint64_t{6}, true);
    to.refuse<blended>(fn, "blend", all, name, a, values, std::int64_t{6}, true);
}

void gather(const sender &to)
{
    const tc::ifunc fn = to.open("gather");
    const std::vector<std::uint16_t> which{2, 0, 7};
    const points given{{1, -2}, {3, 4}, {-5, 6}};
    to.compare("gather", which, std::uint8_t{3}, given, std::uint64_t{4});
    to.compare("gather_none", std::vector<std::uint16_t>(), std::uint8_t{1}, points(),
               std::uint64_t{0});
    to.require(
        same(tc::call<points>({to.ep, fn}, which, std::uint8_t{3}, given, std::uint64_t{4}),
             points{{-15, 18}, {3, -6}, {0, 0}, {0, 0}}),
        "gather");
    to.refuse<points>(fn, "gather", std::vector<std::int16_t>{2}, std::uint8_t{3}, given,
                      std::uint64_t{4});
    to.refuse<points>(fn, "gather", which, std::int8_t{3}, given, std::uint64_t{4});
}

void join(const sender &to)
{
    const tc::ifunc fn = to.open("join");
    const std::string first = "a\xc3\xb1"
                              "b",
                      second = "cd";
    to.compare("join", first, second, std::uint64_t{8}, true);
    to.compare("join_none", std::string(), std::string(), std::uint64_t{0}, false);
    to.require(tc::call<bytes>({to.ep, fn}, first, second, std::uint64_t{8}, true) ==
                   bytes{'c', 'd', 'a', 0xc3, 0xb1, 'b', 0, 0},
               "join");
    // A text of other bytes: Rust's functions take none, others as it is.
    tc_error err = {};
    auto broken = tc::try_call<bytes>(err, {to.ep, fn}, std::string("a\xff"), second,
                                      std::uint64_t{4}, false);
    to.require(to.language == "rust" ? !broken && err.status == TC_E_INVALID
                                     : broken && *broken == bytes{'a', 0xff, 'c', 'd'},
               "join of other bytes");
    to.refuse<bytes>(fn, "join", first, std::vector<std::uint16_t>(), std::uint64_t{8}, true);
}

void call_a_liar(const sender &to)
{
    const tc::ifunc fn = to.open("blend");
    for (std::uint64_t lie = 1; lie <= 4; lie++) {
        tc_error err = {};
        auto found = tc::try_call<blended>(err, {to.ep, fn}, limits{0, 0}, std::string(),
                                           doubles(), floats{1, 2, 3}, lie, false);
        to.require(!found && err.status == TC_E_CORRUPT, "an answer that lies");
    }
}

} // namespace

int main(int argc, char **argv)
try {
    tc::context ctx;
    tc::endpoint ep = ctx.connect(argv[2], TC_SECONDS(60));
    for (int i = 4; i < argc; i++) {
        const sender to{ctx, ep, argv[1], argv[i]};
        blend(to);
        gather(to);
        join(to);
    }
    call_a_liar({ctx, ep, argv[1], "liar"});
    return 0;
} catch (const tc::error &e) {
    std::fprintf(stderr, "C++: %s\n", e.what());
    return 1;
}
