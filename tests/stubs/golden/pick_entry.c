/* The entry of pick. Made by tc-clang --stubs of header.h: changes are lost. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/entry.h>

#include "header.h"

#ifdef TC_PROTOTYPE
TC_PROTOTYPE(pick, "(f64[],{i32,i32},out {i32,i32})->f64");
#endif

static void tc_refuse(const char *what, uint64_t found, const char *expected, uint64_t number)
{
    char text[400];
    (void)snprintf(text, sizeof text, "pick: %s is %llu, expected %s%llu", what,
                   (unsigned long long)found, expected, (unsigned long long)number);
    tc_self_fail(TC_E_INVALID, text);
}

void pick_main(void *payload, size_t payload_size, void *target_args)
{
    const unsigned char *const tc_bytes = payload;
    size_t tc_at = 8;
    (void)target_args, (void)tc_bytes;
    if (payload_size < 8) {
        tc_refuse("the message's size", payload_size, "at least ", 8);
        return;
    }
    tc_at = (tc_at + 7) & ~(size_t)7;
    if (tc_at > payload_size) {
        tc_refuse("the message's size", payload_size, "at least ", tc_at);
        return;
    }
    const size_t tc_at_values = tc_at;
    if ((payload_size - tc_at) % 8 != 0) {
        tc_refuse("the size of the elements of 'values'", payload_size - tc_at,
                  "a multiple of ", 8);
        return;
    }
    const uint64_t tc_count_values = (payload_size - tc_at) / 8;
    const size_t n_ = (size_t)tc_count_values;
    _Alignas(16) unsigned char tc_answer[16];
    memset(tc_answer, 0, sizeof tc_answer);
    const double tc_result = (pick(
        (const double *)(tc_bytes + tc_at_values),
        n_,
        (const struct pair *)(tc_bytes + 0),
        (struct pair *)(tc_answer + 8)));
    memcpy(tc_answer + 0, &tc_result, 8);
    (void)tc_reply(tc_answer, sizeof tc_answer);
}
