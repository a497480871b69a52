/* A pair with a target that requires signatures, and trusts the key `alice`. */
#ifndef TEST_SIGNED_PAIR_H
#define TEST_SIGNED_PAIR_H

#include "pair.h"
#include "signing.h"

#include "base/counter_list.h"

typedef struct signed_pair {
    signing keys;
    pair pair;
} signed_pair;

/* The target has these options, and those of the folder of keys. */
void signed_pair_open_with(signed_pair *s, const char *const *source, const char *option,
                           const char *value);
signed_pair *signed_pair_begin(void);
void signed_pair_end(signed_pair *s);

/* Define tests of one, which is ended behind them: without the pair's two contexts, or with
 * them and no further options. */
#define SIGNED_TEST(name) TEST_BY(signed_pair_run, name, signed_pair *s)
#define STRICT_TEST(name) TEST_BY(signed_pair_run_strict, name, signed_pair *s)
void signed_pair_run(void (*test)(signed_pair *s));
void signed_pair_run_strict(void (*test)(signed_pair *s));

void signed_pair_expect_refusal(tc_ep *ep, unsigned count, const char *text);
void signed_pair_expect_refused(signed_pair *s, tc_ifunc *fn, const char *text);
/* The result of the check function, after as many as the target has seen. */
void signed_pair_expect_runs(signed_pair *s, tc_ep *ep, tc_ifunc *fn);
tc_ifunc *signed_pair_good(signed_pair *s);
uint64_t signed_pair_counter(signed_pair *s, tci_counter which);
/* The target's function with that id. */
tc_ifunc *signed_pair_at_target(signed_pair *s, tc_ifunc *fn);

#endif
