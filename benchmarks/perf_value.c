#include "perf_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT_MAX 32u

bool perf_value_count(const char *text, uint64_t min, uint64_t max, uint64_t *value_out)
{
    static const char suffixes[] = "KMG";
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    const char *suffix = *end != '\0' ? strchr(suffixes, *end) : NULL;
    if (suffix != NULL) {
        unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);
        if (value > UINT64_MAX >> shift)
            return false;
        value <<= shift;
        end++;
    }
    if (errno != 0 || *end != '\0' || value < min || value > max)
        return false;
    *value_out = value;
    return true;
}

bool perf_value_range(const char *text, uint64_t min, uint64_t max, uint64_t *low_out,
                      uint64_t *high_out)
{
    char low[NUMBER_TEXT_MAX];
    const char *dots = strstr(text, "..");
    if (dots == NULL || (size_t)(dots - text) >= sizeof low)
        return false;
    memcpy(low, text, (size_t)(dots - text));
    low[dots - text] = '\0';
    return perf_value_count(low, min, max, low_out) &&
           perf_value_count(dots + 2, *low_out, max, high_out);
}

bool perf_value_powers(const char *text, uint64_t min, uint64_t max, uint64_t *values_out,
                       unsigned capacity, unsigned *count_out)
{
    uint64_t low, high;
    unsigned count = 0;
    if (!perf_value_range(text, min, max, &low, &high))
        return false;
    for (uint64_t value = low; value < high;) {
        if (count == capacity)
            return false;
        values_out[count++] = value;
        uint64_t power = 1;
        while (power <= value)
            power <<= 1;
        value = power;
    }
    if (count == capacity)
        return false;
    values_out[count++] = high;
    *count_out = count;
    return true;
}

bool perf_value_list(const char *text, uint64_t min, uint64_t max, uint64_t *values_out,
                     unsigned capacity, unsigned *count_out)
{
    char number[NUMBER_TEXT_MAX];
    unsigned count = 0;
    for (const char *at = text; at != NULL;) {
        if (count == capacity || !perf_value_name(&at, ',', number, sizeof number) ||
            !perf_value_count(number, min, max, &values_out[count++]))
            return false;
    }
    *count_out = count;
    return true;
}

bool perf_value_name(const char **at, char separator, char *name, size_t size)
{
    const char *end = strchr(*at, separator);
    size_t length = end != NULL ? (size_t)(end - *at) : strlen(*at);
    if (length == 0 || length >= size)
        return false;
    memcpy(name, *at, length);
    name[length] = '\0';
    *at = end != NULL ? end + 1 : NULL;
    return true;
}

bool perf_value_lists(const char *names, char separator, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; at != NULL;) {
        const char *end = strchr(at, separator);
        size_t size = end != NULL ? (size_t)(end - at) : strlen(at);
        if (size == length && memcmp(at, name, size) == 0)
            return true;
        at = end != NULL ? end + 1 : NULL;
    }
    return false;
}
