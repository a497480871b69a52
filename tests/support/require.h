/* An assertion for a child process of a test: it ends the process with a text, and the test
 * sees the exit status. cmocka's assertions jump back into the test, which the child is not. */
#ifndef REQUIRE_H
#define REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(condition)                                                                     \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                    \
            exit(3);                                                                           \
        }                                                                                      \
    } while (0)

#endif
