/* The table of all options, and the functions that set and list them. */
#include "option_table.h"

#include "error_text.h"
#include "option_names.h"
#include "option_value.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER(kind, unit, power, name, env, value, range, min, max, help)                     \
    {{#name, env, unit, value, range, help},                                                   \
     kind,                                                                                     \
     offsetof(struct tc_options, name),                                                        \
     min,                                                                                      \
     max,                                                                                      \
     power},
#define SIZE(...) NUMBER(TCI_OPTION_SIZE, "bytes", false, __VA_ARGS__)
#define POWER(...) NUMBER(TCI_OPTION_SIZE, "bytes", true, __VA_ARGS__)
#define TIME(...) NUMBER(TCI_OPTION_TIME, "time", false, __VA_ARGS__)
#define COUNT(...) NUMBER(TCI_OPTION_COUNT, "count", false, __VA_ARGS__)
#define CHOICE(name, env, value, range, last, help)                                            \
    NUMBER(TCI_OPTION_CHOICE, "choice", false, name, env, value, range, 0, last, help)
#define FLAG(name, env, value, help)                                                           \
    NUMBER(TCI_OPTION_FLAG, "flag", false, name, env, value, "no|yes", 0, 1, help)
#define TEXT(name, env, unit, value, range, help)                                              \
    NUMBER(TCI_OPTION_TEXT, unit, false, name, env, value, range, 0, 0, help)

static const tci_option_row option_rows[] = {
    TCI_OPTION_LIST(SIZE, POWER, TIME, COUNT, CHOICE, FLAG, TEXT)};

#define ROW_COUNT (sizeof option_rows / sizeof option_rows[0])

size_t tc_options_count(void)
{
    return ROW_COUNT;
}

const tc_option_info *tc_options_info(size_t index)
{
    return index < ROW_COUNT ? &option_rows[index].info : NULL;
}

static const tci_option_row *find_row(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(option_rows[i].info.name, name) == 0)
            return &option_rows[i];
    }
    return NULL;
}

tc_status tc_options_set(tc_options *opts, const char *name, const char *value, tc_error *err)
{
    const tci_option_row *row = find_row(name);
    if (row == NULL) {
        const char *meant = tci_option_names_nearest(name);
        return tci_error_set(err, TC_E_NOT_FOUND, "no option named '%s'%s%s", name,
                             meant != NULL ? "; there is " : "", meant != NULL ? meant : "");
    }
    if (!tci_option_value_store(opts, row, value))
        return tci_error_set(err, TC_E_INVALID, "option %s: '%s' is not in %s", name, value,
                             row->info.range);
    return TC_OK;
}

static const char **text_of(struct tc_options *opts, const tci_option_row *row)
{
    return (const char **)(void *)((char *)opts + row->offset);
}

void tci_option_table_free_texts(struct tc_options *opts)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (option_rows[i].kind == TCI_OPTION_TEXT)
            tci_option_value_free_text(text_of(opts, &option_rows[i]));
    }
}

tc_status tci_option_table_copy(struct tc_options *to, const struct tc_options *from,
                                tc_error *err)
{
    bool ok = true;
    *to = *from;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (option_rows[i].kind != TCI_OPTION_TEXT)
            continue;
        const char **text = text_of(to, &option_rows[i]), *theirs = *text;
        *text = NULL;
        ok = ok && tci_option_value_store(to, &option_rows[i], theirs);
    }
    if (ok)
        return TC_OK;
    tci_option_table_free_texts(to);
    return tci_error_set(err, TC_E_NO_MEMORY, "options: out of memory");
}

tc_status tc_options_create(tc_options **opts_out, tc_error *err)
{
    struct tc_options *opts = calloc(1, sizeof *opts);
    if (opts == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "options: out of memory");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const tci_option_row *row = &option_rows[i];
        const char *from_environment = secure_getenv(row->info.env);
        if (!tci_option_value_store(opts, row, row->info.default_value)) {
            if (row->kind != TCI_OPTION_TEXT)
                abort(); /* a default outside its own range: a mistake in the table above */
            tc_options_destroy(opts);
            return tci_error_set(err, TC_E_NO_MEMORY, "options: out of memory");
        }
        if (from_environment != NULL && !tci_option_value_store(opts, row, from_environment)) {
            tc_options_destroy(opts);
            return tci_error_set(err, TC_E_INVALID, "environment: %s='%s' is not in %s",
                                 row->info.env, from_environment, row->info.range);
        }
    }
    tci_option_names_check();
    *opts_out = opts;
    return TC_OK;
}

void tc_options_destroy(tc_options *opts)
{
    if (opts != NULL)
        tci_option_table_free_texts(opts);
    free(opts);
}

tc_status tc_options_get(const tc_options *opts, const char *name, char *buf, size_t size)
{
    const tci_option_row *row = find_row(name);
    if (row == NULL)
        return TC_E_NOT_FOUND;
    tci_option_value_print(opts, row, buf, size);
    return TC_OK;
}
