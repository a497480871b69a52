/* Any bytes, as a configuration file of tc-node. The settings of an accepted one are text, in
 * the order of their lines, and the same when they are written out and read again; a refusal
 * names the line. Keys that begin with 'r' may repeat. */
#include "fuzzer.h"
#include "../../tools/node_config.h"

#include <string.h>

static bool repeats(const char *key)
{
    return key[0] == 'r';
}

static bool is_key_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static void check_setting(const node_config *config, unsigned i, unsigned lines)
{
    const node_setting *s = &config->settings[i];
    const size_t size = strlen(s->value);
    MUST(s->key[0] != '\0');
    for (const char *at = s->key; *at != '\0'; at++)
        MUST(is_key_byte(*at));
    for (const char *at = s->value; *at != '\0'; at++)
        MUST((unsigned char)*at >= ' ' || *at == '\t');
    MUST(size == 0 ||
         (strchr(" \t", s->value[0]) == NULL && strchr(" \t", s->value[size - 1]) == NULL));
    MUST(s->line >= 1 && s->line <= lines);
    MUST(i == 0 || s->line > config->settings[i - 1].line);
    for (unsigned j = 0; j < i && !repeats(s->key); j++)
        MUST(strcmp(config->settings[j].key, s->key) != 0);
    MUST(node_config_find(config, s->key) != NULL);
}

static void check(const node_config *config, size_t size, unsigned lines)
{
    static node_config again;
    char why[256];
    char *text = malloc(size + config->count * 3 + 1);
    size_t n = 0;
    MUST(text != NULL && config->count <= NODE_CONFIG_SETTINGS_MAX);
    for (unsigned i = 0; i < config->count; i++) {
        const node_setting *s = &config->settings[i];
        check_setting(config, i, lines);
        n += (size_t)sprintf(text + n, "%s=%s\n", s->key, s->value);
    }
    text[n] = '\0';
    MUST(node_config_parse(text, n, repeats, &again, why, sizeof why));
    MUST(again.count == config->count);
    for (unsigned i = 0; i < config->count; i++) {
        MUST(strcmp(again.settings[i].key, config->settings[i].key) == 0);
        MUST(strcmp(again.settings[i].value, config->settings[i].value) == 0);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static node_config config;
    char why[256] = "";
    unsigned lines = 1;
    char *text = malloc(size + 1);
    MUST(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    if (node_config_parse(text, size, repeats, &config, why, sizeof why))
        check(&config, size, lines);
    else
        MUST(strncmp(why, "line ", 5) == 0 && strlen(why) > 10);
    free(text);
    return 0;
}
