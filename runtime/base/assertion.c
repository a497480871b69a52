#include "assertion.h"

#if !defined(NDEBUG) || TCI_SANITIZED

#include <stdio.h>
#include <stdlib.h>

_Noreturn void tci_assertion_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "tc: %s:%d: an invariant does not hold: %s\n", file, line, condition);
    abort();
}

#else

typedef int tci_assertion_is_off; /* a source must not be empty */

#endif
