/* Contexts for tests. A missing resource fails the test. */
#ifndef TEST_CONTEXT_H
#define TEST_CONTEXT_H

#include <tc/advanced.h>
#include <tc/context.h>

/* Fails the test with the error's text, which may be NULL, and with the attempted action. */
void must(tc_status status, const tc_error *error, const char *what);

/* With option/value pairs that are ended by NULL; or NULL. */
tc_context *test_context(const char *const *options);

/* Returns the counter of that name; a name that there is not fails the test. */
uint64_t test_counter(const tc_context *ctx, const char *name);

#endif
