/* The text of a configuration file of tc-node: lines "key = value", with comments.
 *
 * A line is empty, a comment ("# ..."), or a setting: a key of lower-case letters, digits, '-'
 * and '_', '=', and a value, which ends with the line or before a '#' that follows a blank, and
 * loses the blanks around it. There is no quoting. Bytes of a value are printable ASCII or
 * above 0x7f (UTF-8 in names of files); a tab counts as a blank. */
#ifndef NODE_CONFIG_H
#define NODE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#define NODE_CONFIG_BYTES_MAX 65536u
#define NODE_CONFIG_SETTINGS_MAX 256u

typedef struct node_setting {
    const char *key;   /* not empty */
    const char *value; /* may be empty */
    unsigned line;     /* from 1 on */
} node_setting;

typedef struct node_config {
    unsigned count;
    node_setting settings[NODE_CONFIG_SETTINGS_MAX]; /* in the order of their lines */
} node_config;

/* Reads the text, which gets terminators: keys and values point into it. Returns false after it
 * has written the number of the line, the text found there and the expected one to why_out.
 *
 *   text     `size` bytes and a terminator behind them
 *   repeats  returns whether a key may stand in several lines */
bool node_config_parse(char *text, size_t size, bool (*repeats)(const char *key),
                       node_config *config_out, char *why_out, size_t why_size);

/* Returns the setting with that key, the first of several; NULL without one. */
const node_setting *node_config_find(const node_config *config, const char *key);

#endif
