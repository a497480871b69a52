/* Random numbers that are the same for each input, so that a fuzzer's findings are
 * reproducible. */
#ifndef TC_TEST_FUZZ_RANDOM_H
#define TC_TEST_FUZZ_RANDOM_H

/* From now on libsodium gives the same sequence again; the first call comes before any other
 * use of libsodium. */
void fuzz_random_restart(void);

#endif
