#include "assertion.h"

#if TCI_INVARIANTS

#include <stdio.h>
#include <stdlib.h>

void tci_assertion_failed(const char *name, const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "tc: %s:%d: the invariant %s does not hold: %s\n", file, line, name,
                  condition);
    abort();
}

void tci_assertion_differs(const char *name, const char *condition, const char *file, int line,
                           const long long values[2], const char *relation)
{
    (void)fprintf(stderr,
                  "tc: %s:%d: the invariant %s does not hold: %s: found %lld, expected %s "
                  "%lld\n",
                  file, line, name, condition, values[0], relation, values[1]);
    abort();
}

#else

typedef int tci_assertion_is_off; /* a source must not be empty */

#endif
