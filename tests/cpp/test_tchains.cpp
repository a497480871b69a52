// <tc/tchains.hpp> between two contexts of this process, the target served by a thread.
#include "check.hpp"
#include "sent.hpp"

#include <tc/thread.h>
#include <tc/tchains.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

extern const tc_embedded squares_tca;

namespace
{

class peers
{
  public:
    peers()
    {
        listener_ = target_.listen("127.0.0.1:0");
        host_port_ = "127.0.0.1:" + std::to_string(tc_listener_port(listener_));
        tc_error err;
        CHECK(tc_context_start_thread(target_, nullptr, &err) == TC_OK);
        ep = ctx.connect(host_port_.c_str(), std::chrono::seconds(60));
    }
    const char *host_port() const
    {
        return host_port_.c_str();
    }

  private:
    tc::context target_;
    tc::listener listener_;
    std::string host_port_;

  public:
    tc::context ctx;
    tc::endpoint ep;
};

void owners_move_and_free()
{
    static_assert(!std::is_copy_constructible_v<tc::context>);
    static_assert(std::is_nothrow_move_constructible_v<tc::endpoint>);
    peers two;
    tc::ifunc one = two.ctx.open("box"), none;
    CHECK(one && !none);
    none = std::move(one);
    CHECK(!one && none);
    tc::endpoint second = two.ctx.connect(two.host_port());
    tc::call(second, none);
    second.reset();
    CHECK(!second);
    tc_ifunc *raw = none.release();
    CHECK(!none);
    tc::ifunc adopted(raw);
    CHECK(adopted.get() == raw);
}

void owners_may_outlive_their_context()
{
    peers two;
    tc::ifunc box = two.ctx.open("box"), other;
    tc::context moved = std::move(two.ctx);
    CHECK(!two.ctx && moved && box && two.ep);
    CHECK(tc::call<std::string>(two.ep, box, "moved") == "moved");
    other = moved.open("above");
    moved.reset();
    CHECK(!box && !other && !two.ep);
    two.ctx = tc::context();
    box = two.ctx.open("box");
    CHECK(box);
}

void failures_are_thrown_or_told()
{
    peers two;
    try {
        tc::ifunc fn = two.ctx.open("nowhere");
        CHECK(false);
    } catch (const tc::error &e) {
        CHECK(e.status() == TC_E_NOT_FOUND);
        CHECK(std::string(e.what()).find("nowhere") != std::string::npos);
    }
    tc_error err;
    CHECK(!two.ctx.open("nowhere", err) && err.status == TC_E_NOT_FOUND);
    CHECK(two.ctx.open("box", err) && err.status == TC_OK);
    CHECK(!two.ctx.connect("no port", err) && err.status == TC_E_INVALID);
    tc::context odd({{"delivery", "pigeons"}}, err);
    CHECK(!odd && err.status == TC_E_INVALID);
    tc::context unknown({{"no_such_option", "1"}}, err);
    CHECK(!unknown && err.status == TC_E_NOT_FOUND);
    tc::context stream({{"delivery", "stream"}});
    CHECK(stream);
}

void holes_are_filled_by_type()
{
    peers two;
    tc::ifunc line = two.ctx.open("sloped"), empty;
    const std::int32_t rise = 3;
    tc::ifunc steep = two.ctx.fill(line, {{"slope", 2.5}, {"rise", rise}});
    tc::ifunc flat = two.ctx.fill(line, {{"rise", -1}, {"slope", 0.0}});
    tc_error err;
    const char *form = std::getenv("TC_FORM");
    if (form != nullptr && std::string(form) == "bitcode") { // values are for images
        CHECK(!tc::try_call<double>(err, {two.ep, steep}, 4.0) && err.status == TC_E_NO_SLICE);
        CHECK(std::string(err.text).find("no bitcode for") != std::string::npos);
        return;
    }
    for (int i = 0; i < 2; i++) {
        CHECK(tc::call<double>(two.ep, steep, 4.0) == 13);
        CHECK(tc::call<double>(two.ep, flat, 4.0) == -1);
    }
    CHECK(!tc::try_call<double>(err, {two.ep, line}, 4.0) && err.status == TC_E_INVALID);
    CHECK(std::string(err.text).find("values are not set") != std::string::npos);
    CHECK(!two.ctx.fill(line, {{"slope", 2}, {"rise", rise}}, err));
    CHECK(err.text == std::string("sloped: hole slope is a floating-point number of 8 bytes, "
                                  "its value an integer"));
    try {
        empty = two.ctx.fill(line, {{"slope", 2.5f}, {"rise", rise}});
        CHECK(false);
    } catch (const tc::error &e) {
        CHECK(e.status() == TC_E_INVALID);
        CHECK(e.what() == std::string("sloped: hole slope has 8 bytes, its value 4"));
    }
    CHECK(!two.ctx.fill(line, {{"slop", 2.5}, {"rise", rise}}, err));
    CHECK(err.status == TC_E_NOT_FOUND && !empty);
}

void arguments_lie_as_in_a_struct()
{
    peers two;
    tc::ifunc box = two.ctx.open("box");
    std::uint8_t kind = 7;
    std::array<std::uint16_t, 3> sides = {1, 2, 3};
    CHECK(tc::call<double>(two.ep, box, kind, 2.0, sides, "four") == 6 * 2.0 + 7 + 4);
    CHECK(tc::call<double>(two.ep, box, kind, 2.0, sides, std::string(5000, 'x')) == 19 + 5000);
    CHECK(tc::call<double>(two.ep, box, kind, 2.0, sides, std::string()) == 19);
    CHECK(tc::call<std::string>(two.ep, box, "echoed") == "echoed");
    CHECK(tc::call<std::string>(two.ep, box).empty());
    std::vector<std::uint32_t> three = {1, 2, 3};
    CHECK(tc::call<std::vector<std::uint32_t>>(two.ep, box, three) == three);
    const float plain[2] = {1, 2};
    CHECK(tc::call<std::vector<float>>(two.ep, box, plain).size() == 2);
    CHECK((tc::call<std::array<float, 2>>(two.ep, box, plain)[1] == 2));
    tc_error err;
    CHECK(!tc::try_call<double>(err, {two.ep, box}, "odd") && err.status == TC_E_CORRUPT);
    CHECK(std::string(err.text) == "answer of 3 bytes, expected 8");
    CHECK(!tc::try_call<std::vector<int>>(err, {two.ep, box}, "odd") &&
          err.status == TC_E_CORRUPT);
    CHECK(!tc::try_call<char>(err, {two.ep, box}, "odd") && err.status == TC_E_TOO_LARGE);
    CHECK(!tc::try_call<std::string>(err, {two.ep, box, {}, 2}, "odd") &&
          err.status == TC_E_TOO_LARGE);
    CHECK(tc::try_call<void>(err, {two.ep, box}) && err.status == TC_OK);
    CHECK(!tc::try_call<void>(err, {two.ep, box}, "odd") && err.status == TC_E_TOO_LARGE);
}

template <typename Call> std::string text_of_failure(tc_status expected, const Call &call)
{
    try {
        call();
    } catch (const tc::error &e) {
        CHECK(e.status() == expected);
        return e.what();
    }
    return "nothing was thrown";
}

void types_are_those_of_the_prototype()
{
    struct offset {
        std::int32_t shift;
        std::uint8_t unused;
    };
    peers two;
    tc::ifunc fn = two.ctx.open("typed");
    tc_ep *ep = two.ep;
    const std::vector<float> values{1.5f, 2.5f};
    const offset seven{7, 0};
    CHECK(std::string(tc_ifunc_prototype(fn)) == "(f64,{i32,u8},f32[])->f64");
    for (int i = 0; i < 2; i++) {
        CHECK(tc::call<double>(ep, fn, 0.5, seven, values) == 9);
        CHECK(tc::call<double>(ep, fn, 2.0, seven, std::vector<float>()) == 7);
        tc::send(ep, fn, 0.5, seven, values);
        const std::string text = text_of_failure(
            TC_E_VERSION, [&] { tc::call<double>(ep, fn, 0.5f, seven, values); });
        CHECK(text.find("function 'typed' is called as '(f32,?8:4,f32[])->f64', and it is "
                        "'(f64,{i32,u8},f32[])->f64'") != std::string::npos);
    }
    const auto refused = [&](const auto &call) {
        CHECK(text_of_failure(TC_E_VERSION, call).find("it is '(f64,{i32,u8},f32[])->f64'") !=
              std::string::npos);
    };
    refused([&] { tc::call<std::int64_t>(ep, fn, 0.5, seven, values); });
    refused([&] { tc::call<std::vector<double>>(ep, fn, 0.5, seven, values); });
    refused([&] { tc::call<double>(ep, fn, 0.5, seven); });
    refused([&] { tc::call<double>(ep, fn, 0.5, std::int32_t{7}, values); });
    refused([&] { tc::call<double>(ep, fn, 0.5, seven, std::vector<std::int32_t>{1}); });
    refused([&] { tc::call<double>(ep, fn, 0.5, seven, std::string("abcd")); });
    refused([&] { tc::send(ep, fn, 0.5); });
    refused([&] {
        tc::start<float>(
            tc::to(ep, fn), [](const auto &) {}, 0.5, seven, values);
    });
    CHECK(tc_ifunc_check_prototype(fn, "(f64", nullptr) == TC_E_INVALID);
    CHECK(tc_ifunc_check_prototype(fn, nullptr, nullptr) == TC_E_INVALID);
    CHECK(tc_ifunc_prototype(two.ctx.open("box")) == nullptr);
}

void calls_that_do_not_wait()
{
    peers two;
    tc::ifunc box = two.ctx.open("box");
    int good = 0, bad = 0;
    for (int i = 0; i < 10; i++) {
        tc::start<std::string>(
            {two.ep, box},
            [&](const tc::outcome<std::string> &how) {
                good += how.status == TC_OK && *how.value == "asked";
            },
            "asked");
        tc::start<int>(
            {two.ep, box},
            [&](const tc::outcome<int> &how) {
                bad += how.status == TC_E_CORRUPT && !how.value && how.text[0] == 'a';
            },
            "a");
    }
    CHECK(tc_calls_wait(two.ctx, TC_SECONDS(60)) == TC_OK);
    CHECK(good == 10 && bad == 10);
    tc::start<int>(
        {two.ep, box}, [&](const tc::outcome<int> &how) { bad = how.status; }, 1);
    two.ep.reset();
    two.ctx.reset();
    CHECK(bad != 10); // called, with every result
}

void lambdas_travel_with_their_captures()
{
    peers two;
    tc::function<decltype(above(0, 1))> count(two.ctx);
    std::vector<double> column(1000);
    for (std::size_t i = 0; i < column.size(); i++)
        column[i] = static_cast<double>(i);
    CHECK(count(two.ep, above(499.5, 1), column) == 500);
    CHECK(count(two.ep, above(499.5, 2), column) == 250);
    CHECK(count(two.ep, above(0, 1), std::vector<double>()) == 0);
    CHECK(count(two.ep, above(0, 1), tc::view<double>(column.data(), 10)) == 9);

    tc::function<decltype(weighted)> weigh(two.ctx);
    CHECK(weigh(two.ep, weighted, 3, 2.5) == 7.5);

    tc::function<squares> square(two.ctx);
    CHECK(square(two.ep, squares{4}) == (std::vector<std::uint64_t>{0, 1, 4, 9}));
    CHECK(square(two.ep, squares{0}).empty());

    tc::function<louder> shout(two.ctx);
    CHECK(shout(two.ep, louder{false}, "what?") == "WHAT?");

    tc_error err;
    tc::function<kept> keep(two.ctx, err);
    keep.send(two.ep, kept{4});
    tc::flush(two.ep, TC_SECONDS(60));
    CHECK(*keep.try_call(err, {two.ep, keep}, kept{3}) == 7);
    CHECK(keep(two.ep, kept{1}) == 8);
}

// Where there is no file of it.
void lambdas_may_be_part_of_the_program()
{
    peers two;
    tc_error err;
    tc::context elsewhere({{"ifunc_path", "/nowhere"}});
    tc::endpoint ep = elsewhere.connect(two.host_port());
    CHECK(!tc::function<squares>(elsewhere, err) && err.status == TC_E_NOT_FOUND);
    tc::function<squares> square(elsewhere, squares_tca);
    CHECK(square(ep, squares{3}) == (std::vector<std::uint64_t>{0, 1, 4}));
    tc::function<squares> again(elsewhere, squares_tca, err);
    CHECK(again.get() == square.get() && err.status == TC_OK);
}

void finishing_ends_owners()
{
    peers two;
    tc_error err;
    tc::ifunc box = two.ctx.open("box");
    tc::endpoint other = two.ctx.connect(two.host_port());
    tc::send(other, box, 1);
    tc::finish(std::move(other), TC_SECONDS(60));
    CHECK(!other);
    CHECK(tc::finish(std::move(other), TC_SECONDS(60), err) == TC_OK);
    tc::context elsewhere;
    tc::endpoint ep = elsewhere.connect(two.host_port());
    elsewhere.finish(TC_SECONDS(60));
    CHECK(!elsewhere && !ep);
    CHECK(elsewhere.finish(TC_SECONDS(60), err) == TC_OK);
}

void packages_and_libraries_are_owned_too()
{
    peers two;
    tc_error err;
    tc::context single;
    tc::group alone = single.join(TC_SECONDS(60), err);
    CHECK(alone && tc::program_of(alone, 0).number == 0 && *tc::program_of(alone, 0).name == 0);
    CHECK(tc::program_of(alone, 1).number == TC_PROGRAM_NONE);
    CHECK(!two.ctx.open_package("nowhere.tcp", err) && err.status == TC_E_NOT_FOUND);
    CHECK(std::string(err.text).find("nowhere.tcp") != std::string::npos);
    CHECK(!two.ctx.open_library(squares_tca, err) && err.status == TC_E_INVALID);
    try {
        tc::package none = two.ctx.open_package("nowhere.tcp");
        CHECK(false);
    } catch (const tc::error &e) {
        CHECK(e.status() == TC_E_NOT_FOUND);
    }
}

void what_a_lambda_throws_is_thrown_here()
{
    peers two;
    tc::function<louder> shout(two.ctx);
    try {
        shout(two.ep, louder{true}, "now");
        CHECK(false);
    } catch (const tc::error &e) {
        CHECK(e.status() == TC_E_THROWN);
        CHECK(std::string(e.what()) == "the function threw std::runtime_error: too loud");
    }
}

// Every peer that may connect can send any bytes.
void other_messages_are_refused()
{
    peers two;
    tc_error err;
    for (const char *name : {"above", "weighted", "squares", "louder"}) {
        tc::ifunc fn = two.ctx.open(name);
        for (std::size_t size = 0; size < 64; size++) {
            CHECK(!tc::try_call<void>(err, {two.ep, fn}, std::string(size, 'x')));
            CHECK(err.status == TC_E_INVALID);
            CHECK(std::string(err.text).find("packed for another function") !=
                  std::string::npos);
        }
    }
}

} // namespace

int main()
{
    owners_move_and_free();
    owners_may_outlive_their_context();
    failures_are_thrown_or_told();
    holes_are_filled_by_type();
    arguments_lie_as_in_a_struct();
    types_are_those_of_the_prototype();
    calls_that_do_not_wait();
    lambdas_travel_with_their_captures();
    lambdas_may_be_part_of_the_program();
    finishing_ends_owners();
    packages_and_libraries_are_owned_too();
    what_a_lambda_throws_is_thrown_here();
    other_messages_are_refused();
    std::puts("all is well");
}
