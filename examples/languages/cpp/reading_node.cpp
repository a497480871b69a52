// Has a million readings, and answers whatever is asked about them.
//     reading_node HOST:PORT
#include "readings.hpp"

#include <tc/tchains.hpp>

#include <cmath>
#include <iostream>

static std::vector<reading> measure(std::uint32_t count)
{
    std::vector<reading> all;
    for (std::uint32_t i = 0; i < count; i++)
        all.push_back({i % 100, 20 + 10 * std::sin(static_cast<float>(i) * 0.001f)});
    all[count / 2].value = 99;
    return all;
}

int main(int argc, char **argv)
try {
    std::vector<reading> all = measure(1000000);
    tc::context ctx;
    tc_error err;
    if (tc_context_publish(ctx, "readings", all.data(), all.size() * sizeof(reading), &err) !=
        TC_OK)
        throw tc::error(err);
    tc::listener here = ctx.listen(argc > 1 ? argv[1] : "127.0.0.1:0");
    std::cout << "listening at port " << tc_listener_port(here) << std::endl;
    return tc_serve_until_signal(ctx, nullptr) == TC_OK ? 0 : 1;
} catch (const tc::error &e) {
    std::cerr << "reading_node: " << e.what() << std::endl;
    return 1;
}
