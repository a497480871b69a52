/* The calls that the paper on MRPC measures, as a header for tc-clang --stubs. */
#ifndef TC_PERF_TYPED_H
#define TC_PERF_TYPED_H

#include <stdint.h>
#include <tc/remote.h>

#define TYPED_DOUBLES 20

TC_REMOTE void typed_null(void);
/* Returns the next number. */
TC_REMOTE uint64_t typed_word(uint64_t word);
/* Returns the sum. */
TC_REMOTE uint64_t typed_two(uint64_t first, uint64_t second);
/* Adds one to each. */
TC_REMOTE void typed_doubles(double values[TYPED_DOUBLES]);

#endif
