/* A condition that has to hold for every input. A fuzzer keeps the input that ends it so, and
 * the text has the failed condition. */
#ifndef TC_FUZZ_MUST_H
#define TC_FUZZ_MUST_H

#include <stdio.h>
#include <stdlib.h>

#define MUST(condition)                                                                        \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                    \
            abort();                                                                           \
        }                                                                                      \
    } while (0)

#endif
