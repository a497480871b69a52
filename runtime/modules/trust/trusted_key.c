#include "trusted_key.h"

#include "base/error_text.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DAY_SECONDS 86400
#define LAST_DAY_FORM "0000-00-00"

/* --- options ----------------------------------------------------------------------------- */

typedef struct option_line {
    const char *value;
    size_t size;
} option_line;

static bool take_names(tci_trusted_key *key, const option_line *line)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_*?,";
    char text[TCI_TRUSTED_NAMES_MAX];
    if (line->size == 0 || line->size >= sizeof text)
        return false;
    memcpy(text, line->value, line->size);
    text[line->size] = '\0';
    if (strspn(text, allowed) != line->size || text[0] == ',' || text[line->size - 1] == ',' ||
        strstr(text, ",,") != NULL)
        return false;
    memcpy(key->names, text, line->size + 1);
    return true;
}

static bool is_value(const option_line *line, const char *text)
{
    return line->size == strlen(text) && memcmp(line->value, text, line->size) == 0;
}

static bool take_forms(tci_trusted_key *key, const option_line *line)
{
    if (is_value(line, "image"))
        key->form = TCI_CHOICE_IMAGE;
    else if (is_value(line, "bitcode"))
        key->form = TCI_CHOICE_BITCODE;
    else
        return is_value(line, "image,bitcode") || is_value(line, "bitcode,image");
    return true;
}

static int digits(const char *text, size_t count)
{
    int number = 0;
    for (size_t i = 0; i < count; i++)
        number = number * 10 + (text[i] - '0');
    return number;
}

/* Takes a day of the calendar; timegm would turn an invalid day into a later one. */
static bool take_not_after(tci_trusted_key *key, const option_line *line)
{
    char again[32];
    if (line->size != sizeof LAST_DAY_FORM - 1)
        return false;
    for (size_t i = 0; i < line->size; i++) {
        bool dash = LAST_DAY_FORM[i] == '-';
        if (dash ? line->value[i] != '-' : line->value[i] < '0' || line->value[i] > '9')
            return false;
    }
    struct tm day = {.tm_year = digits(line->value, 4) - 1900,
                     .tm_mon = digits(line->value + 5, 2) - 1,
                     .tm_mday = digits(line->value + 8, 2)};
    time_t start = timegm(&day);
    if (start <= 0 || strftime(again, sizeof again, "%Y-%m-%d", &day) != line->size ||
        memcmp(again, line->value, line->size) != 0)
        return false;
    memcpy(key->last_day, again, sizeof key->last_day);
    key->not_after = (int64_t)start + DAY_SECONDS;
    return true;
}

static const struct {
    const char *name;
    bool (*take)(tci_trusted_key *key, const option_line *line);
    const char *expected;
} options[] = {
    {"names", take_names, "patterns of letters, digits, '_', '*' and '?', separated by commas"},
    {"forms", take_forms, "image, bitcode, or both"},
    {"not-after", take_not_after, "a day such as 2027-06-30"},
};

#define OPTION_COUNT (sizeof options / sizeof options[0])

static tc_status take_option(tci_trusted_key *key, const char *line, size_t size,
                             unsigned number, unsigned *seen, tc_error *err)
{
    const char *equals = memchr(line, '=', size);
    size_t name_size = equals != NULL ? (size_t)(equals - line) : size;
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        if (equals == NULL || name_size != strlen(options[i].name) ||
            memcmp(line, options[i].name, name_size) != 0)
            continue;
        const option_line option = {equals + 1, size - name_size - 1};
        if (*seen & 1u << i)
            return tci_error_set(err, TC_E_INVALID, "line %u: %s is there twice", number,
                                 options[i].name);
        *seen |= 1u << i;
        if (options[i].take(key, &option))
            return TC_OK;
        return tci_error_set(err, TC_E_INVALID, "line %u: %s='%.*s', expected %s", number,
                             options[i].name, (int)(option.size < 80 ? option.size : 80),
                             option.value, options[i].expected);
    }
    return tci_error_set(err, TC_E_INVALID,
                         "line %u: '%.*s' is no option of a key, expected names=, forms= or "
                         "not-after=",
                         number, (int)(size < 80 ? size : 80), line);
}

tc_status tci_trusted_key_parse(const char *text, size_t size, tci_trusted_key *key_out,
                                tc_error *err)
{
    tci_trusted_key key = {.form = TCI_CHOICE_AUTO};
    const char *at, *end = text + size;
    unsigned seen = 0;
    TC_TRY(tci_minisign_public_parse(text, size, &key.public, &at, err));
    for (unsigned number = 3; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t left = (size_t)((stop != NULL ? stop : end) - at);
        const char *line = at;
        at += left + (stop != NULL);
        while (left > 0 && strchr(" \t\r", line[left - 1]) != NULL && line[left - 1] != '\0')
            left--;
        if (left > 0 && line[0] != '#')
            TC_TRY(take_option(&key, line, left, number, &seen, err));
    }
    *key_out = key;
    return TC_OK;
}

/* --- permissions ------------------------------------------------------------------------- */

bool tci_trusted_key_covers(const tci_trusted_key *key, const char *function)
{
    char pattern[TCI_TRUSTED_NAMES_MAX];
    if (key->names[0] == '\0')
        return true;
    for (const char *at = key->names;; at++) {
        size_t size = strcspn(at, ",");
        memcpy(pattern, at, size);
        pattern[size] = '\0';
        if (fnmatch(pattern, function, FNM_NOESCAPE) == 0)
            return true;
        at += size;
        if (*at == '\0')
            return false;
    }
}

bool tci_trusted_key_is_over(const tci_trusted_key *key, int64_t now)
{
    return key->not_after != 0 && now >= key->not_after;
}

int64_t tci_trusted_key_days(const tci_trusted_key *key, int64_t now)
{
    return (key->not_after - now) / DAY_SECONDS;
}
