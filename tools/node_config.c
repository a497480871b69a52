#include "node_config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_MAX 48 /* bytes of a line in a reason */

typedef struct reason {
    char *text;
    size_t size;
    unsigned line;
} reason;

static __attribute__((format(printf, 2, 3))) bool refuse(const reason *why, const char *fmt,
                                                         ...)
{
    va_list args;
    const int n = snprintf(why->text, why->size, "line %u: ", why->line);
    va_start(args, fmt);
    if (n > 0 && (size_t)n < why->size)
        (void)vsnprintf(why->text + n, why->size - (size_t)n, fmt, args);
    va_end(args);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_key_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static char *skip_blanks(char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* Ends the text before its last blanks. */
static void trim(char *begin, char *end)
{
    while (end > begin && is_blank(end[-1]))
        end--;
    *end = '\0';
}

/* Ends the line before its comment, and before the '\r' of a file from elsewhere. */
static void cut_comment(char *line)
{
    char *end = line + strlen(line);
    for (char *at = strchr(line, '#'); at != NULL; at = strchr(at + 1, '#')) {
        if (at == line || is_blank(at[-1])) {
            *at = '\0';
            return;
        }
    }
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
}

static bool check_bytes(const char *line, size_t size, const reason *why)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)line[i];
        if ((byte < ' ' && byte != '\t' && !(byte == '\r' && i + 1 == size)) || byte == 0x7f)
            return refuse(why, "byte 0x%02x, expected text", byte);
    }
    return true;
}

/* Splits "key = value". */
static bool split(char *line, const reason *why, node_setting *setting_out)
{
    char *key = line, *end = line;
    while (is_key_byte(*end))
        end++;
    char *equals = skip_blanks(end);
    if (end == key || *equals != '=')
        return refuse(why, "'%.*s', expected \"key = value\"", SHOWN_MAX, line);
    char *value = skip_blanks(equals + 1);
    *end = '\0';
    trim(value, value + strlen(value));
    *setting_out = (node_setting){.key = key, .value = value, .line = why->line};
    return true;
}

static bool add(node_config *config, const node_setting *setting,
                bool (*repeats)(const char *key), const reason *why)
{
    const node_setting *before = node_config_find(config, setting->key);
    if (before != NULL && !repeats(setting->key))
        return refuse(why, "'%.*s' again, which line %u has set", SHOWN_MAX, setting->key,
                      before->line);
    if (config->count == NODE_CONFIG_SETTINGS_MAX)
        return refuse(why, "more than %u settings", NODE_CONFIG_SETTINGS_MAX);
    config->settings[config->count++] = *setting;
    return true;
}

bool node_config_parse(char *text, size_t size, bool (*repeats)(const char *key),
                       node_config *config_out, char *why_out, size_t why_size)
{
    reason why = {.text = why_out, .size = why_size, .line = 0};
    char *const end = text + size;
    config_out->count = 0;
    while (text < end) {
        node_setting setting;
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *line = text, *line_end = newline != NULL ? newline : end;
        why.line++;
        text = line_end + 1;
        if (!check_bytes(line, (size_t)(line_end - line), &why))
            return false;
        *line_end = '\0';
        cut_comment(line);
        line = skip_blanks(line);
        if (*line != '\0' &&
            (!split(line, &why, &setting) || !add(config_out, &setting, repeats, &why)))
            return false;
    }
    return true;
}

const node_setting *node_config_find(const node_config *config, const char *key)
{
    for (unsigned i = 0; i < config->count; i++) {
        if (strcmp(config->settings[i].key, key) == 0)
            return &config->settings[i];
    }
    return NULL;
}
