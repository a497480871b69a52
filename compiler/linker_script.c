#include "linker_script.h"

#include <ctype.h>
#include <string.h>

typedef struct scanner {
    const char *text;
    size_t size;
    size_t at;
} scanner;

typedef struct token {
    const char *text;
    size_t size; /* 0 at the end */
} token;

static bool is_delimiter(char c)
{
    return isspace((unsigned char)c) || c == '(' || c == ')' || c == ',' || c == ';';
}

static bool at_comment(const scanner *s)
{
    return s->size - s->at >= 2 && memcmp(s->text + s->at, "/*", 2) == 0;
}

static void skip_blanks(scanner *s)
{
    while (s->at < s->size) {
        char c = s->text[s->at];
        if (at_comment(s)) {
            const char *end = memmem(s->text + s->at + 2, s->size - s->at - 2, "*/", 2);
            s->at = end != NULL ? (size_t)(end - s->text) + 2 : s->size;
        } else if (isspace((unsigned char)c) || c == ',' || c == ';') {
            s->at++;
        } else {
            return;
        }
    }
}

/* A parenthesis, a quoted name (without its quotes), or a bare word. */
static token next_token(scanner *s)
{
    skip_blanks(s);
    if (s->at >= s->size)
        return (token){.text = s->text, .size = 0};
    const char *start = s->text + s->at;
    if (*start == '(' || *start == ')') {
        s->at++;
        return (token){.text = start, .size = 1};
    }
    if (*start == '"') {
        const char *end = memchr(start + 1, '"', s->size - s->at - 1);
        size_t size = end != NULL ? (size_t)(end - start) - 1 : s->size - s->at - 1;
        s->at += size + (end != NULL ? 2 : 1);
        return (token){.text = start + 1, .size = size};
    }
    while (s->at < s->size && !is_delimiter(s->text[s->at]))
        s->at++;
    return (token){.text = start, .size = (size_t)(s->text + s->at - start)};
}

static bool is(token t, const char *word)
{
    return t.size == strlen(word) && memcmp(t.text, word, t.size) == 0;
}

/* Behind a command's name: the names between its parentheses; `inputs` NULL skips them. */
static bool read_arguments(scanner *s, tci_text_list *inputs)
{
    if (!is(next_token(s), "("))
        return false;
    /* Everything below the depth at which AS_NEEDED opened is left out. */
    unsigned depth = 1, skip_below = 0;
    while (depth > 0) {
        token t = next_token(s);
        if (t.size == 0)
            return false;
        if (is(t, "("))
            depth++;
        else if (is(t, ")"))
            depth--;
        else if (is(t, "AS_NEEDED"))
            skip_below = skip_below == 0 ? depth : skip_below;
        else if (inputs != NULL && skip_below == 0)
            tci_text_list_add_bytes(inputs, t.text, t.size);
        if (is(t, ")") && depth == skip_below)
            skip_below = 0;
    }
    return true;
}

static bool is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == 0x7f || (c < 0x20 && !isspace(c)))
            return false;
    }
    return true;
}

bool tci_linker_script_read(const char *text, size_t size, tci_text_list *inputs)
{
    scanner s = {.text = text, .size = size};
    bool has_command = false;
    if (!is_text(text, size))
        return false;
    for (;;) {
        token t = next_token(&s);
        if (t.size == 0)
            return has_command;
        bool names_inputs = is(t, "GROUP") || is(t, "INPUT");
        if (!read_arguments(&s, names_inputs ? inputs : NULL))
            return false;
        has_command = has_command || names_inputs;
    }
}
