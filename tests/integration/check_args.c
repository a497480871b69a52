/* A library that a tc-node loads for the functions of tests/shipped: their target_args, and
 * their values at the end. */
#include "../shipped/check.h"
#include "../shipped/tally.h"

#include <inttypes.h>
#include <stdio.h>

extern check_state check_args;
__attribute__((visibility("default"))) check_state check_args;
extern tally_state tally_args;
__attribute__((visibility("default"))) tally_state tally_args;

__attribute__((destructor)) static void tell(void)
{
    printf("check: %" PRIu64 " run, %" PRIu64 " wrong, %" PRIu64 " bytes\n", check_args.next,
           check_args.wrong, check_args.bytes);
}
