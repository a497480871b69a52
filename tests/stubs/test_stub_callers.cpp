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

int main()
try {
    tc::context owner, ctx;
    tc::listener listener = owner.listen("127.0.0.1:0");
    if (tc_context_start_thread(owner, nullptr, nullptr) != TC_OK)
        return 1;
    const std::string at = "127.0.0.1:" + std::to_string(tc_listener_port(listener));
    tc::endpoint ep = ctx.connect(at.c_str());
    call_all(ctx, ep);
    return wrong;
} catch (const tc::error &e) {
    std::printf("%s\n", e.what());
    return 1;
}
