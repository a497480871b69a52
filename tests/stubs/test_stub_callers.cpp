/* Calls of the stubs in C++ at a context that a thread serves. Prints names of wrong ones. */
#include "deeds_calls.hpp"

#include <cstring>
#include <tc/thread.h>

static int wrong;

static void expect(bool is_right, const char *name)
{
    if (!is_right) {
        std::printf("wrong: %s\n", name);
        wrong++;
    }
}

template <typename Call> static void expect_invalid(const char *text, const Call &call)
{
    try {
        call();
        expect(false, text);
    } catch (const tc::error &e) {
        expect(e.status() == TC_E_INVALID && std::strstr(e.what(), text) != nullptr, e.what());
    }
}

static void call_all(tc::context &ctx, tc_ep *ep)
{
    using namespace std::string_literals;
    tc::ifunc dot = ctx.open("dot"), scale = ctx.open("scale"), find = ctx.open("find"),
              measure = ctx.open("measure"), turn = ctx.open("turn"), blend = ctx.open("blend"),
              nothing = ctx.open("nothing"), note = ctx.open("note");
    std::vector<float> values{1, 2};
    std::vector<double> a{1, 2};
    std::array<double, 3> both{4, 5, 6}, out;
    std::vector<std::int32_t> found(3);
    limits l;
    tc_error err;
    expect(deeds_calls::dot({ep, dot}, {1, 2, 3}, {4, 5, 6}) == 32, "dot");
    deeds_calls::scale({ep, scale}, values, 1.5f);
    expect(values == std::vector<float>{1.5f, 3}, "scale");
    expect(deeds_calls::find({ep, find}, "there", 'e') == 2, "find");
    deeds_calls::measure({ep, measure}, {3, 1, 2}, l);
    expect(l.low == 1 && l.high == 3, "measure");
    deeds_calls::turn({ep, turn}, {1, 2, 3}, both, out);
    expect(both[2] == 9 && out[0] == 6, "turn");
    expect(deeds_calls::blend({ep, blend}, a, 2, values, "ab", l, found, true) == 12.5,
           "blend");
    expect(found == std::vector<std::int32_t>{'a', 'b', -1}, "blend's found");
    deeds_calls::nothing({ep, nothing});
    expect_invalid("the number of elements of 'b' is 1, expected that of 'a', 2", [&] {
        deeds_calls::dot({ep, dot}, {1, 2}, {1});
    });
    expect_invalid("the first zero of the text 'text' is 1, expected 3", [&] {
        deeds_calls::find({ep, find}, "a\0b"s, 1);
    });
    expect_invalid("the number of elements of 'bytes' is 65536, expected at most 65535", [&] {
        deeds_calls::note({ep, note}, "", std::vector<std::uint8_t>(65536));
    });
    double result = 0;
    expect(deeds_calls::try_dot(err, {ep, dot}, a, a, result) == TC_OK && result == 5,
           "try_dot");
}

// The same functions by tc::call. Types of arguments give the layout.
static void call_by_types(tc::context &ctx, tc_ep *ep)
{
    using doubles = std::vector<double>;
    using floats = std::vector<float>;
    using numbers = std::vector<std::int32_t>;
    using pair = std::tuple<double, limits>;
    const auto fn = [&](const char *name) { return ctx.open(name); };
    tc::ifunc dot = fn("dot"), scale = fn("scale"), lengths = fn("lengths"),
              blend = fn("blend"), measure = fn("measure"), note = fn("note"),
              squares = fn("squares"), turn = fn("turn"), gaps = fn("gaps"), flip = fn("flip");
    const doubles a{1, 2};
    for (int i = 0; i < 2; i++) {
        expect(tc::call<double>(ep, dot, a, doubles{3, 4}) == 11, "dot by types");
        expect(tc::call<floats>(ep, scale, floats{1, 2}, 1.5f) == floats{1.5f, 3},
               "scale by types");
        expect(tc::call<std::uint64_t>(ep, lengths, "abc", std::string(500, 'x'),
                                       std::uint8_t{2}, 1.5f) == 4001,
               "lengths by types");
        const auto [result, changed, range, found] =
            tc::call<std::tuple<double, floats, limits, numbers>>(
                ep, blend, doubles{2, 4}, 0.5, floats{1, 1}, "abc", std::uint64_t{5}, true);
        expect(result == 8 && changed == floats{2, 3} && range.low == 5 && range.high == 1,
               "blend by types");
        expect(found == numbers{'a', 'b', 'c', -1, -1}, "blend's found by types");
    }
    expect(tc::call<limits>(ep, measure, doubles{3, 1, 2}).high == 3, "measure by types");
    expect(tc::call<std::vector<std::uint64_t>>(ep, squares, std::uint64_t{3}) ==
               std::vector<std::uint64_t>{0, 1, 4},
           "squares by types");
    using both = std::tuple<std::array<double, 3>, std::array<double, 3>>;
    expect(std::get<1>(tc::call<both>(ep, turn, std::array<double, 3>{1, 2, 3},
                                      std::array<double, 3>{4, 5, 6}))[0] == 6,
           "turn by types");
    expect(tc::call<std::tuple<bool, std::int64_t>>(ep, flip, true, BLUE, std::int64_t{5}) ==
               std::tuple<bool, std::int64_t>(false, -3),
           "flip by types");
    using bytes = std::vector<std::uint8_t>;
    using shorts = std::vector<std::int16_t>;
    using left = std::tuple<std::uint8_t, bytes, doubles, shorts, std::int32_t>;
    expect(tc::call<left>(ep, gaps, bytes{1, 2, 3}, std::uint64_t{2}, shorts{7}) ==
               left(4, {1, 2, 3}, {0, 1}, {7}, 0),
           "gaps by types");
    tc::send(ep, note, "ab", bytes{1});
    int ended = 0;
    tc::start<std::tuple<double>>(
        {ep, dot}, [&](const auto &how) { ended += std::get<0>(how.value.value()) == 11; }, a,
        doubles{3, 4});
    expect(tc_calls_wait(ctx, TC_SECONDS(60)) == TC_OK && ended == 1, "a started dot");
    tc_error err;
    expect(!tc::try_call<double>(err, {ep, dot}, a, floats{3}) && err.status == TC_E_VERSION,
           "dot of other types");
    expect(!tc::try_call<pair>(err, {ep, dot}, a, a) && err.status == TC_E_CORRUPT &&
               std::strcmp(err.text, "answer of 8 bytes, expected 24") == 0,
           err.text);
    expect(!tc::try_call<std::tuple<double, numbers, floats>>(err, {ep, dot}, a, a) &&
               err.status == TC_E_CORRUPT,
           "dot with other answers");
    expect(!tc::try_call<std::tuple<double, doubles>>(err, {ep, dot}, a, a) &&
               err.status == TC_E_VERSION,
           "dot with an array that comes back");
}

// Calls of both ranks of a group.
static void call_ranks(tc::context &ctx, tc_group *group)
{
    using doubles = std::vector<double>;
    using triple = std::array<double, 3>;
    tc::ifunc dot = ctx.open("dot"), scale = ctx.open("scale"), flip = ctx.open("flip"),
              turn = ctx.open("turn"), blend = ctx.open("blend"), measure = ctx.open("measure"),
              squares = ctx.open("squares"), nothing = ctx.open("nothing"),
              ranks = ctx.open("rank_squares");
    expect(deeds_calls::dot_all(group, dot, {1, 2}, {3, 4}) == doubles{11, 11}, "dot of all");
    const auto scaled = deeds_calls::scale_all(group, scale, {1, 2}, 1.5f);
    expect(scaled.size() == 2 && scaled[1] == std::vector<float>{1.5f, 3}, "scale of all");
    const auto flipped = deeds_calls::flip_all(group, flip, true, BLUE, 5);
    expect(flipped.size() == 2 && flipped[1] == deeds_calls::flip_values(false, -3),
           "flip of all");
    const auto turned = deeds_calls::turn_all(group, turn, {1, 2, 3}, {4, 5, 6});
    expect(turned[1] == deeds_calls::turn_values(triple{5, 7, 9}, triple{6, 5, 5}),
           "turn of all");
    expect(deeds_calls::measure_all(group, measure, {3, 1, 2})[0].high == 3, "measure of all");
    deeds_calls::nothing_all(group, nothing);
    for (const auto &[result, changed, range, found] :
         deeds_calls::blend_all(group, blend, {2, 4}, 0.5, {1, 1}, "abc", 5, true)) {
        expect(result == 8 && changed == std::vector<float>{2, 3} && range.low == 5,
               "blend of all");
        expect(found == std::vector<std::int32_t>{'a', 'b', 'c', -1, -1},
               "blend's found of all");
    }
    expect(deeds_calls::squares_all(group, squares, 0)[1].empty(), "no squares of all");
    const std::vector<deeds_calls::squares_values> differ =
        deeds_calls::squares_all(group, ranks, 2); // as many as the rank's number, then zeros
    expect(differ[0] == deeds_calls::squares_values{0, 0} && differ[1] == differ[0],
           "answers that differ in size");
    expect_invalid("the size of rank 1's answer is 8, expected at most 0",
                   [&] { deeds_calls::squares_all(group, ranks, 0); });
    expect_invalid("the number of elements of 'b' is 1, expected that of 'a', 2", [&] {
        deeds_calls::dot_all(group, dot, {1, 2}, {1});
    });
    tc_error err;
    std::vector<deeds_calls::dot_values> values{1};
    expect(deeds_calls::try_dot_all(err, group, flip, {1}, {1}, values) == TC_E_VERSION &&
               values.size() == 1,
           err.text);
}

static tc_group *make_group(tc_context *ctx, std::uint32_t rank, const std::string members[2])
{
    const tc_group_member both[] = {{members[0].data(), members[0].size()},
                                    {members[1].data(), members[1].size()}};
    tc_group_params params = {};
    tc_group *group = nullptr;
    tc_error err;
    params.id = 78;
    params.rank = rank;
    params.size = 2;
    params.members = both;
    if (tc_group_create(ctx, &params, &group, &err) != TC_OK)
        throw tc::error(err);
    return group;
}

int main()
try {
    tc::context owner, ctx;
    tc::listener listener = owner.listen("127.0.0.1:0"), own = ctx.listen("127.0.0.1:0");
    const std::string at = "127.0.0.1:" + std::to_string(tc_listener_port(listener));
    const std::string members[] = {"127.0.0.1:" + std::to_string(tc_listener_port(own)), at};
    (void)make_group(owner, 1, members);
    if (tc_context_start_thread(owner, nullptr, nullptr) != TC_OK)
        return 1;
    tc::endpoint ep = ctx.connect(at.c_str());
    call_all(ctx, ep);
    call_by_types(ctx, ep);
    call_ranks(ctx, make_group(ctx, 0, members));
    return wrong;
} catch (const tc::error &e) {
    std::printf("%s\n", e.what());
    return 1;
}
