/* What every C test includes: cmocka with the headers that must precede it, and on what the
 * test runs. */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sanitized.h"

/* Each test has a parameter, of which most have no need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* For what runs in qemu's user mode, as another architecture: ends the test as skipped, and
 * says what qemu has otherwise. TEST_EMULATED is given to all tests. */
static inline void skip_if_emulated(const char *why)
{
    if (TEST_EMULATED) {
        print_message("skipped under qemu: %s\n", why);
        skip();
    }
}

#endif
