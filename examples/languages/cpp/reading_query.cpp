// Asks a node about its readings.
//     reading_query HOST:PORT
#include "readings.hpp"

#include <tc/tchains.hpp>

#include <iostream>

extern "C" const tc_embedded between_tca, histogram_tca, highest_tca, correlated_tca;

static void ask(tc::context &ctx, tc_ep *ep)
{
    tc::function<decltype(between(0, 0))> count(ctx, between_tca);
    std::cout << "below 15: " << count(ep, between(0, 15))
              << ", from 25 on: " << count(ep, between(25, 1000)) << std::endl;

    tc::function<histogram> spread(ctx, histogram_tca);
    std::cout << "spread:";
    for (std::uint32_t n : spread(ep, histogram{10, 30}))
        std::cout << " " << n;
    std::cout << std::endl;

    tc::function<highest> top(ctx, highest_tca);
    std::cout << "highest:";
    for (reading r : top(ep, highest{3}))
        std::cout << " " << r.value << " by " << r.sensor;
    std::cout << std::endl;

    tc::function<decltype(correlated)> alike(ctx, correlated_tca);
    std::vector<float> shape(10000, 1);
    std::cout << "mean of sensor 7: " << alike(ep, correlated, 7, shape) / 10000 << std::endl;

    tc_error err; // a choice for each call: no exception here
    if (!top.try_call(err, {ep, top}, highest{2000000}))
        std::cout << tc_status_name(err.status) << ": " << err.text << std::endl;
}

int main(int argc, char **argv)
try {
    tc::context ctx;
    tc::endpoint ep = ctx.connect(argc > 1 ? argv[1] : "");
    ask(ctx, ep);
} catch (const tc::error &e) {
    std::cerr << "reading_query: " << e.what() << std::endl;
    return 1;
}
