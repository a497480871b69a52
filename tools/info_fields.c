#include "info_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_COLUMN 14
#define LINE_COLUMNS 96

void print_json_text(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned)(unsigned char)*text);
        else if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else
            putchar(*text);
    }
    putchar('"');
}

void print_json_member(const char *name, const char *text)
{
    print_json_text(name);
    fputs(": ", stdout);
    print_json_text(text);
}

void print_fields_json(const field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "{" : ", ", stdout);
        if (fields[i].text != NULL) {
            print_json_member(fields[i].name, fields[i].text);
        } else {
            print_json_text(fields[i].name);
            printf(": %" PRIu64, fields[i].number);
        }
    }
    puts("}");
}

/* A processor has some hundred features and lacks as many: people want the first kind, on lines
 * that fit. */
static void print_features(const char *features)
{
    size_t column = LINE_COLUMNS;
    while (*features != '\0') {
        size_t n = strcspn(features, ",");
        if (*features == '+') {
            if (column + n > LINE_COLUMNS) {
                printf("\n  ");
                column = 2;
            }
            printf("%.*s ", (int)(n - 1), features + 1);
            column += n;
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
