/* Writes JSON to standard output or a file, as far as the programs need it. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Prints any bytes as a string: characters in UTF-8 as they are, and a byte outside of them as
 * the character of that number. */
void tool_json_bytes(FILE *out, const void *bytes, size_t size);
void tool_json_text(FILE *out, const char *text);

/* Prints "name": "text". */
void tool_json_member(FILE *out, const char *name, const char *text);

#endif
