/* Numbers in the arguments of a program. */
#ifndef TOOL_NUMBER_H
#define TOOL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads an option's decimal number from `min` to `max`. For anything else it prints what the
 * program (`tool`) expected, and leaves the output as it was. */
bool tool_number(const char *tool, const char *option, const char *text, uint64_t min,
                 uint64_t max, uint64_t *value_out);

#endif
