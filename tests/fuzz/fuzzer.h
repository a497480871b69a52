/* The entry point of a fuzzer, and a condition that has to hold for every input: libFuzzer
 * keeps the input that ends it so, and the text has the failed condition. */
#ifndef TC_FUZZ_FUZZER_H
#define TC_FUZZ_FUZZER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                        \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                    \
            abort();                                                                           \
        }                                                                                      \
    } while (0)

#endif
