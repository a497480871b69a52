// A condition of a test in C++. The program ends where it does not hold.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);               \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)

#endif
