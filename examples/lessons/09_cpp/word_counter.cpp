// Has the words of some texts counted by another process.
//     word_counter HOST:PORT TEXT...
#include "chains.hpp"
#include <iostream>

extern "C" const tc_embedded word_count_tca;

int main(int argc, char **argv)
try {
    chains::context ctx;
    tc_ep *ep = ctx.connect(argc > 1 ? argv[1] : "");
    tc_ifunc *count = ctx.open(word_count_tca);
    std::cout << "waited for: " << ctx.call(ep, count, "to be or not to be") << std::endl;

    volatile int all = argc == 2;
    int left = argc - 2;
    for (int i = 2; i < argc; i++)
        ctx.start(ep, count, argv[i], [&, i](tc_status status, std::string_view answer) {
            std::cout << i - 1 << (status == TC_OK ? ": " : " failed: ") << answer << std::endl;
            all = --left == 0;
        });
    ctx.serve_until(all);
} catch (const chains::failure &e) {
    std::cerr << "word_counter: " << e.what() << std::endl;
    return 1;
}
