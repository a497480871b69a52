/* JSON on standard output or in a file, as far as programs write it. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Bytes from anywhere as a string: characters in UTF-8 as they are, a byte that is part of none as
 * the character of that number. */
void tool_json_bytes(FILE *out, const void *bytes, size_t size);
void tool_json_text(FILE *out, const char *text);

/* "name": "text" */
void tool_json_member(FILE *out, const char *name, const char *text);

#endif
