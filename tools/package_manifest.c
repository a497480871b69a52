#include "package_manifest.h"

#include "archive_name.h"
#include "base/error_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r"

/* Returns the next word of a line, which it terminates; NULL after the last. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, BLANKS);
    if (*word == '\0')
        return NULL;
    char *end = word + strcspn(word, BLANKS);
    *line = *end == '\0' ? end : end + 1;
    *end = '\0';
    return word;
}

static void trim_end(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && strchr(BLANKS, text[size - 1]) != NULL)
        text[--size] = '\0';
}

static tc_status read_name(char *line, package_plan *plan, tc_error *err)
{
    const char *name = next_word(&line);
    if (name == NULL || next_word(&line) != NULL)
        return tci_error_set(err, TC_E_INVALID, "expected 'package NAME'");
    TC_TRY(tci_archive_check_name(name, TC_E_INVALID, err));
    (void)snprintf(plan->name, sizeof plan->name, "%s", name);
    return TC_OK;
}

static tc_status read_include(char *line, package_plan *plan, tc_error *err)
{
    const char *file = next_word(&line);
    if (file == NULL || next_word(&line) != NULL || strpbrk(file, "\"\\") != NULL)
        return tci_error_set(err, TC_E_INVALID, "expected 'include HEADER'");
    if (plan->include_count == PACKAGE_SOURCES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "more than %d headers", PACKAGE_SOURCES_MAX);
    char *copy = strdup(file);
    if (copy == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a plan");
    plan->includes[plan->include_count++] = copy;
    return TC_OK;
}

/* Reads the rest of the line, as types have blanks in them. */
static tc_status read_type(char *line, package_part *part, tc_error *err)
{
    char *type = line + strspn(line, BLANKS);
    trim_end(type);
    size_t size = strlen(type);
    part->takes_many = size > 2 && strcmp(type + size - 2, "[]") == 0;
    if (part->takes_many)
        type[size - 2] = '\0';
    trim_end(type);
    if (*type == '\0' || strpbrk(type, "()[]{};,\"\\") != NULL)
        return tci_error_set(err, TC_E_INVALID,
                             "'takes' needs the name of a type, with [] behind it for several, "
                             "found '%s'",
                             type);
    part->takes = strdup(type);
    if (part->takes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a plan");
    return TC_OK;
}

static bool is_clause(const char *word)
{
    return strcmp(word, "from") == 0 || strcmp(word, "uses") == 0 || strcmp(word, "takes") == 0;
}

/* Reads words up to the next clause. `*word_out` is the first word of that clause, or NULL. */
static tc_status read_list(char **line, const package_plan *plan, package_part *part,
                           bool sources, const char **word_out, tc_error *err)
{
    const char *clause = *word_out, *first = next_word(line), *word = first;
    for (; word != NULL && !is_clause(word); word = next_word(line))
        TC_TRY(sources ? package_plan_add_source(plan, part, word, err)
                       : package_plan_add_use(part, word, err));
    *word_out = word;
    return word != first ? TC_OK
                         : tci_error_set(err, TC_E_INVALID, "'%s' names no %s", clause,
                                         sources ? "file" : "library");
}

/* Reads the clauses after the name: `from`, `uses` and `takes`, in this order. */
static tc_status read_clauses(char *line, const package_plan *plan, package_part *part,
                              tc_error *err)
{
    const char *word = next_word(&line);
    if (word != NULL && strcmp(word, "from") == 0)
        TC_TRY(read_list(&line, plan, part, true, &word, err));
    if (word != NULL && strcmp(word, "uses") == 0)
        TC_TRY(read_list(&line, plan, part, false, &word, err));
    if (word == NULL)
        return TC_OK;
    if (strcmp(word, "takes") == 0 && part->element.kind == TCI_ELEMENT_FUNCTION)
        return read_type(line, part, err);
    return tci_error_set(err, TC_E_INVALID, "unexpected word '%s'", word);
}

static tc_status read_element(char *line, tci_element_kind kind, package_plan *plan,
                              tc_error *err)
{
    const char *number = next_word(&line), *name = next_word(&line);
    char *end = NULL;
    unsigned long id = number != NULL ? strtoul(number, &end, 10) : 0;
    if (name == NULL || *end != '\0' || id < 1 || id > TCI_PACKAGE_ELEMENT_ID_MAX)
        return tci_error_set(
            err, TC_E_INVALID, "expected '%s ID NAME' with an id of 1 to %u, found '%s %s'",
            kind == TCI_ELEMENT_FUNCTION ? "function" : "library", TCI_PACKAGE_ELEMENT_ID_MAX,
            number != NULL ? number : "", name != NULL ? name : "");
    TC_TRY(tci_archive_check_name(name, TC_E_INVALID, err));
    package_part *part = package_plan_add(plan, kind, name, (uint32_t)id, err);
    if (part == NULL)
        return TC_E_TOO_LARGE;
    return read_clauses(line, plan, part, err);
}

static tc_status read_line(char *line, package_plan *plan, tc_error *err)
{
    line[strcspn(line, "#")] = '\0';
    const char *word = next_word(&line);
    if (word == NULL)
        return TC_OK;
    if (strcmp(word, "package") == 0)
        return read_name(line, plan, err);
    if (strcmp(word, "include") == 0)
        return read_include(line, plan, err);
    if (strcmp(word, "function") == 0)
        return read_element(line, TCI_ELEMENT_FUNCTION, plan, err);
    if (strcmp(word, "library") == 0)
        return read_element(line, TCI_ELEMENT_LIBRARY, plan, err);
    return tci_error_set(err, TC_E_INVALID,
                         "'%s', expected package, include, function or library", word);
}

tc_status package_manifest_read(char *text, package_plan *plan, tc_error *err)
{
    unsigned number = 1;
    for (char *line = text, *next; line != NULL; line = next, number++) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        tc_status status = read_line(line, plan, err);
        if (status != TC_OK) {
            tci_error_prefix(err, "line %u", number);
            return status;
        }
    }
    return TC_OK;
}
