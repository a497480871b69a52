/* The output of tc-info: named values, as lines for people or as JSON. */
#ifndef INFO_FIELDS_H
#define INFO_FIELDS_H

#include <stddef.h>
#include <stdint.h>

typedef enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN } output_format;

/* One line of a report. If `text` is NULL, `number` is the value. */
typedef struct field {
    const char *name;
    const char *text;
    uint64_t number;
} field;

/* Prints one JSON object on a line. */
void print_fields_json(const field *fields, size_t count);
void print_fields(const field *fields, size_t count, output_format format);

#endif
