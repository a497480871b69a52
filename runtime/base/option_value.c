#include "option_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "auto|direct|am|put", "am" -> 2 */
static bool parse_choice(const char *choices, const char *text, uint64_t *value_out)
{
    size_t n = strlen(text);
    uint64_t value = 0;
    for (const char *at = choices;; value++) {
        size_t part = strcspn(at, "|");
        if (part == n && memcmp(at, text, n) == 0) {
            *value_out = value;
            return true;
        }
        if (at[part] == '\0')
            return false;
        at += part + 1;
    }
}

static bool unit_factor(tci_option_kind kind, const char *unit, uint64_t *factor_out)
{
    static const struct {
        tci_option_kind kind;
        const char *unit;
        uint64_t factor;
    } units[] = {
        {TCI_OPTION_SIZE, "", 1},
        {TCI_OPTION_SIZE, "K", 1u << 10},
        {TCI_OPTION_SIZE, "M", 1u << 20},
        {TCI_OPTION_SIZE, "G", 1u << 30},
        {TCI_OPTION_TIME, "ns", 1},
        {TCI_OPTION_TIME, "us", 1000},
        {TCI_OPTION_TIME, "ms", 1000000},
        {TCI_OPTION_TIME, "s", 1000000000},
        {TCI_OPTION_TIME, "h", 3600000000000},
        {TCI_OPTION_TIME, "", 1},
        {TCI_OPTION_COUNT, "", 1},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (units[i].kind == kind && strcmp(units[i].unit, unit) == 0) {
            *factor_out = units[i].factor;
            return true;
        }
    }
    return false;
}

static bool parse_number(const tci_option_row *row, const char *text, uint64_t *value_out)
{
    char *end;
    uint64_t factor;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    if (errno != 0 || !unit_factor(row->kind, end, &factor) || number > UINT64_MAX / factor)
        return false;
    number *= factor;
    if (number < row->min || number > row->max)
        return false;
    if (row->power_of_two && (number & (number - 1)) != 0)
        return false;
    *value_out = number;
    return true;
}

/* Most texts are empty, and have no memory of their own. */
static const char empty[] = "";

void tci_option_value_free_text(const char **text)
{
    if (*text != empty)
        free((void *)(uintptr_t)*text);
    *text = empty;
}

static bool store_text(const char **text, const char *value)
{
    const size_t bytes = strlen(value) + 1;
    char *copy = NULL;
    if (bytes > TCI_OPTION_TEXT_MAX || (bytes > 1 && (copy = malloc(bytes)) == NULL))
        return false;
    if (copy != NULL)
        memcpy(copy, value, bytes);
    tci_option_value_free_text(text);
    *text = copy != NULL ? copy : empty;
    return true;
}

bool tci_option_value_store(struct tc_options *opts, const tci_option_row *row,
                            const char *text)
{
    char *field = (char *)opts + row->offset;
    uint64_t number = 0;
    bool ok = false;
    switch (row->kind) {
    case TCI_OPTION_TEXT:
        return store_text((const char **)(void *)field, text);
    case TCI_OPTION_CHOICE:
    case TCI_OPTION_FLAG:
        ok = parse_choice(row->info.range, text, &number);
        break;
    case TCI_OPTION_SIZE:
    case TCI_OPTION_TIME:
    case TCI_OPTION_COUNT:
        ok = parse_number(row, text, &number);
        break;
    }
    if (ok)
        memcpy(field, &number, sizeof number);
    return ok;
}

static void print_choice(const char *choices, uint64_t value, char *buf, size_t size)
{
    while (value-- > 0)
        choices += strcspn(choices, "|") + 1;
    (void)snprintf(buf, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

void tci_option_value_print(const struct tc_options *opts, const tci_option_row *row, char *buf,
                            size_t size)
{
    const char *field = (const char *)opts + row->offset;
    if (row->kind == TCI_OPTION_TEXT) {
        (void)snprintf(buf, size, "%s", *(const char *const *)(const void *)field);
        return;
    }
    uint64_t number;
    memcpy(&number, field, sizeof number);
    if (row->kind == TCI_OPTION_CHOICE || row->kind == TCI_OPTION_FLAG)
        print_choice(row->info.range, number, buf, size);
    else
        (void)snprintf(buf, size, "%" PRIu64 "%s", number,
                       row->kind == TCI_OPTION_TIME ? "ns" : "");
}
