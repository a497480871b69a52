// Fills the line of tests/shipped/sloped.c: fill_in_cpp HOST:PORT SLOPE RISE X. Prints the
// value at X, and the function's content id.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <tc/advanced.h>
#include <tc/tchains.hpp>

int main(int argc, char **argv)
try {
    if (argc != 5)
        return 2;
    tc::context ctx;
    tc::endpoint ep = ctx.connect(argv[1]);
    tc::ifunc line = ctx.open("sloped");
    tc::ifunc filled = ctx.fill(
        line, {{"slope", std::atof(argv[2])}, {"rise", std::int32_t(std::atoi(argv[3]))}});
    const double value = tc::call<double>(ep, filled, std::atof(argv[4]));
    unsigned char id[TC_IFUNC_ID_BYTES];
    tc_ifunc_id(filled, id);
    std::printf("%g ", value);
    for (unsigned char byte : id)
        std::printf("%02x", byte);
    std::puts("");
} catch (const tc::error &e) {
    std::cerr << e.what() << std::endl;
    return 1;
}
