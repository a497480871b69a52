/* Needs a symbol that no process has. */
#include <stddef.h>

void tests_symbol_that_is_nowhere(void);
int tests_other_symbol_that_is_nowhere(int);

void unbound_main(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)target_args;
    tests_symbol_that_is_nowhere();
    (void)tests_other_symbol_that_is_nowhere((int)size);
}
