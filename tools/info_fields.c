#include "info_fields.h"

#include "tool_help.h"
#include "tool_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_COLUMN 14

void print_fields_json(const field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "{" : ", ", stdout);
        if (fields[i].text != NULL) {
            tool_json_member(stdout, fields[i].name, fields[i].text);
        } else {
            tool_json_text(stdout, fields[i].name);
            printf(": %" PRIu64, fields[i].number);
        }
    }
    puts("}");
}

/* Prints the features that the processor has, on lines that fit. The list also names about as
 * many that it lacks, which are omitted. */
static void print_features(const char *features)
{
    unsigned column = tool_help_columns();
    while (*features != '\0') {
        size_t n = strcspn(features, ",");
        if (*features == '+') {
            if (column + n > tool_help_columns()) {
                printf("\n  ");
                column = 2;
            }
            printf("%.*s ", (int)(n - 1), features + 1);
            column += (unsigned)n;
        }
        features += n;
        features += *features == ',';
    }
    putchar('\n');
}

static void print_fields_text(const field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%-*s", NAME_COLUMN, fields[i].name);
        if (fields[i].text == NULL)
            printf("%" PRIu64 "\n", fields[i].number);
        else if (strcmp(fields[i].name, "features") == 0)
            print_features(fields[i].text);
        else
            puts(fields[i].text);
    }
}

void print_fields(const field *fields, size_t count, output_format format)
{
    if (format == FORMAT_JSON)
        print_fields_json(fields, count);
    else
        print_fields_text(fields, count);
}
