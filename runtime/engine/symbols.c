#include "symbols.h"

#include "base/error_text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct tci_symbols {
    tci_symbol_scope scope;
    size_t library_count;
    void *libraries[TCI_DEPS_MAX];
};

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_soname(const char *text, size_t size)
{
    if (size == 0 || !is_alphanumeric(text[0]))
        return false;
    for (size_t i = 0; i < size; i++) {
        bool punctuation = text[i] == '.' || text[i] == '_' || text[i] == '+' || text[i] == '-';
        if (!is_alphanumeric(text[i]) && !punctuation)
            return false;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts comment and blanks off a line. */
static void trim(const char **line, size_t *size)
{
    const char *comment = memchr(*line, '#', *size);
    if (comment != NULL)
        *size = (size_t)(comment - *line);
    while (*size > 0 && is_blank((*line)[*size - 1]))
        (*size)--;
    while (*size > 0 && is_blank(**line)) {
        (*line)++;
        (*size)--;
    }
}

typedef struct deps_lines {
    const char *rest;
    size_t rest_size;
    unsigned number; /* of the line that was given last, from 1 */
} deps_lines;

/* The next line that holds something, without comment and blanks. */
static bool next_line(deps_lines *lines, const char **line_out, size_t *size_out)
{
    while (lines->rest_size > 0) {
        const char *end = memchr(lines->rest, '\n', lines->rest_size);
        *line_out = lines->rest;
        *size_out = end != NULL ? (size_t)(end - lines->rest) : lines->rest_size;
        size_t step = end != NULL ? *size_out + 1 : *size_out;
        lines->rest += step;
        lines->rest_size -= step;
        lines->number++;
        trim(line_out, size_out);
        if (*size_out > 0)
            return true;
    }
    return false;
}

bool tci_symbols_deps_name_any(const char *deps, size_t deps_size)
{
    deps_lines lines = {.rest = deps, .rest_size = deps_size};
    const char *line;
    size_t size;
    return next_line(&lines, &line, &size);
}

static tc_status open_library(tci_symbols *symbols, const char *name, tc_error *err)
{
    if (symbols->library_count == TCI_DEPS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "deps: more than %d libraries", TCI_DEPS_MAX);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        return tci_error_set(err, TC_E_NO_LIBRARY, "deps: library %s cannot be loaded: %s",
                             name, reason != NULL ? reason : "no reason given");
    }
    symbols->libraries[symbols->library_count++] = library;
    return TC_OK;
}

static tc_status read_line(tci_symbols *symbols, const char *line, size_t size, unsigned number,
                           tc_error *err)
{
    char name[TCI_DEPS_SONAME_MAX];
    if (size >= sizeof name)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "deps: line %u has %zu bytes, expected at most %zu", number, size,
                             sizeof name - 1);
    if (!is_soname(line, size))
        return tci_error_set(
            err, TC_E_CORRUPT,
            "deps: line %u is '%.*s', expected a library's name such as libm.so.6", number,
            (int)size, line);
    memcpy(name, line, size);
    name[size] = '\0';
    return open_library(symbols, name, err);
}

static tc_status read_deps(tci_symbols *symbols, const char *text, size_t size, tc_error *err)
{
    deps_lines lines = {.rest = text, .rest_size = size};
    const char *line;
    size_t line_size;
    if (size > TCI_DEPS_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "deps: %zu bytes, expected at most %u", size,
                             TCI_DEPS_BYTES_MAX);
    while (next_line(&lines, &line, &line_size))
        TC_TRY(read_line(symbols, line, line_size, lines.number, err));
    return TC_OK;
}

#define COMPILER_HELPERS "libgcc_s.so.1"

/* What a compiler calls where a processor has no instruction (__udivti3, __powidf2). Every
 * linked program gets these without asking, but a process in C need not have loaded them. One
 * for all scopes, which stays: to open it for each took longer than to place an image. */
static struct {
    pthread_once_t once;
    void *library; /* NULL: there is none */
} compiler_helpers = {.once = PTHREAD_ONCE_INIT};

static void open_compiler_helpers(void)
{
    compiler_helpers.library = dlopen(COMPILER_HELPERS, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

void tci_symbols_prepare(void)
{
    pthread_once(&compiler_helpers.once, open_compiler_helpers);
}

tc_status tci_symbols_create(const char *deps, size_t deps_size, const tci_symbol_scope *scope,
                             tci_symbols **symbols_out, tc_error *err)
{
    tci_symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "symbols: out of memory");
    symbols->scope = *scope;
    tc_status status = read_deps(symbols, deps, deps_size, err);
    if (status != TC_OK) {
        tci_symbols_destroy(symbols);
        return status;
    }
    tci_symbols_prepare();
    *symbols_out = symbols;
    return TC_OK;
}

void tci_symbols_destroy(tci_symbols *symbols)
{
    if (symbols == NULL)
        return;
    while (symbols->library_count > 0)
        (void)dlclose(symbols->libraries[--symbols->library_count]);
    free(symbols);
}

void *tci_symbols_resolve(const tci_symbols *symbols, const char *symbol)
{
    for (size_t i = 0; i < symbols->scope.host_count; i++) {
        if (strcmp(symbols->scope.host[i].name, symbol) == 0)
            return symbols->scope.host[i].address;
    }
    void *address = dlsym(RTLD_DEFAULT, symbol);
    for (size_t i = 0; address == NULL && i < symbols->library_count; i++)
        address = dlsym(symbols->libraries[i], symbol);
    if (address == NULL && compiler_helpers.library != NULL)
        address = dlsym(compiler_helpers.library, symbol);
    return address;
}
