/* Tests that run in qemu's user mode, of another architecture. TEST_EMULATED is given to all. */
#ifndef EMULATED_H
#define EMULATED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Ends the test as skipped, and says what qemu has otherwise. */
static inline void skip_if_emulated(const char *why)
{
    if (TEST_EMULATED) {
        print_message("skipped under qemu: %s\n", why);
        skip();
    }
}

#endif
