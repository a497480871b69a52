/* The output of these tests' programs: lines of a word and a value, which the test reads, and
 * their end. */
#ifndef PROGRAM_REPORT_H
#define PROGRAM_REPORT_H

#include <stdint.h>
#include <tc/context.h>

/* Ends the program unless it is TC_OK. */
void must(tc_status status, const tc_error *error, const char *what);

void say(const char *word, uint64_t number);

/* "address" and the bytes of tc_context_address in hexadecimal. */
void say_address(tc_context *ctx);

#endif
