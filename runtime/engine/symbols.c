/* Opens and holds the libraries of a .deps list, and looks up symbols in the order that
 * symbols.h states, under the policy if there is one. */
#include "symbols.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "deps_list.h"
#include "library_search.h"
#include "process_symbols.h"
#include "symbol_owner.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tci_symbols {
    tci_symbol_scope scope;
    const tci_symbol_section *section; /* of the policy, or NULL */
    char denied[900];                  /* denied symbols, each with its rule */
    bool denied_more;                  /* more were denied than fit */
    size_t library_count;
    void *libraries[TCI_DEPS_MAX];
    tci_deps_list list; /* as given */
    bool rests;
    size_t came_count;
    tci_library *came[TCI_DEPS_MAX]; /* received by messages; held */
    tci_library_clash clash;         /* of a symbol of theirs */
    size_t lacking_count;
    char lacking[300]; /* libraries that could not be loaded, truncated */
};

static tc_status check_library(const tci_symbols *symbols, const char *name, tc_error *err)
{
    tci_symbol_reason denial;
    if (symbols->library_count + symbols->came_count + symbols->lacking_count == TCI_DEPS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "deps: more than %d libraries", TCI_DEPS_MAX);
    if (symbols->section != NULL && !tci_symbol_policy_opens(symbols->section, name, &denial))
        return tci_error_set(err, TC_E_NO_LIBRARY, "deps: library %s is denied: %s", name,
                             denial.text);
    return TC_OK;
}

static tc_status hold_library(tci_symbols *symbols, const char *name, tc_error *err)
{
    tci_library_set *set = symbols->scope.libraries;
    tci_library *library =
        set != NULL ? tci_library_set_hold(set, name + strlen(TCI_LIBRARY_PREFIX)) : NULL;
    if (library == NULL)
        return tci_error_set(
            err, TC_E_ABSENT,
            "deps: library %s is not at this node: it was not pushed here, or was "
            "withdrawn",
            name);
    symbols->came[symbols->came_count++] = library;
    return TC_OK;
}

/* Lists made from a linker's trace name files that are no libraries, such as libc.so. */
static tc_status lack_library(tci_symbols *symbols, const char *name, const char *reason,
                              tc_error *err)
{
    const char *why = reason != NULL ? reason : "no reason given";
    const size_t used = strlen(symbols->lacking);
    if (!symbols->scope.may_lack)
        return tci_error_set(err, TC_E_NO_LIBRARY, "deps: library %s cannot be loaded: %s",
                             name, why);
    TC_LOG(TC_LOG_WARN, "deps: goes on without library %s, which cannot be loaded: %s", name,
           why);
    symbols->lacking_count++;
    (void)snprintf(symbols->lacking + used, sizeof symbols->lacking - used, "%s%s",
                   used > 0 ? ", " : "", name);
    return TC_OK;
}

static tc_status open_library(tci_symbols *symbols, const char *name, tc_error *err)
{
    TC_TRY(check_library(symbols, name, err));
    if (tci_deps_list_has_come(name, strlen(name)))
        return hold_library(symbols, name, err);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return lack_library(symbols, name, dlerror(), err);
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
    const size_t prefix = tci_deps_list_has_come(line, size) ? strlen(TCI_LIBRARY_PREFIX) : 0;
    if (!tci_deps_list_is_soname(line + prefix, size - prefix))
        return tci_error_set(
            err, TC_E_CORRUPT,
            "deps: line %u is '%.*s', expected a library's name such as libm.so.6", number,
            (int)size, line);
    memcpy(name, line, size);
    name[size] = '\0';
    return open_library(symbols, name, err);
}

static tc_status read_deps(tci_symbols *symbols, size_t size, tc_error *err)
{
    tci_deps_list lines = symbols->list;
    const char *line;
    size_t line_size;
    if (size > TCI_DEPS_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "deps: %zu bytes, expected at most %u", size,
                             TCI_DEPS_BYTES_MAX);
    while (tci_deps_list_next(&lines, &line, &line_size))
        TC_TRY(read_line(symbols, line, line_size, lines.number, err));
    return TC_OK;
}

#define COMPILER_HELPERS "libgcc_s.so.1"

/* Functions that a compiler calls where a processor has no instruction (__udivti3, __powidf2).
 * Every linked program gets them without asking, but a process in C need not have loaded them.
 * One handle serves all scopes and stays open: opening it for each took longer than loading an
 * image. */
static struct {
    pthread_once_t once;
    void *library; /* NULL: not found */
} compiler_helpers = {.once = PTHREAD_ONCE_INIT};

static void open_compiler_helpers(void)
{
    compiler_helpers.library = dlopen(COMPILER_HELPERS, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

void tci_symbols_prepare(void)
{
    pthread_once(&compiler_helpers.once, open_compiler_helpers);
    tci_process_symbols_prepare();
}

tc_status tci_symbols_create(const char *deps, size_t deps_size, const tci_symbol_scope *scope,
                             tci_symbols **symbols_out, tc_error *err)
{
    tci_symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "symbols: out of memory");
    symbols->scope = *scope;
    symbols->list = (tci_deps_list){.rest = deps, .rest_size = deps_size};
    if (scope->policy != NULL)
        symbols->section = tci_symbol_policy_section(
            scope->policy, scope->signer != NULL ? scope->signer : "");
    tc_status status = read_deps(symbols, deps_size, err);
    if (status != TC_OK) {
        tci_symbols_destroy(symbols);
        return status;
    }
    tci_symbols_prepare();
    *symbols_out = symbols;
    return TC_OK;
}

void tci_symbols_let_go(tci_symbols *symbols)
{
    while (symbols->came_count > 0)
        tci_library_set_let_go(symbols->scope.libraries, symbols->came[--symbols->came_count]);
}

void tci_symbols_rest(tci_symbols *symbols)
{
    symbols->rests = symbols->came_count > 0;
    tci_symbols_let_go(symbols);
}

tc_status tci_symbols_resume(tci_symbols *symbols, tc_error *err)
{
    tci_deps_list lines = symbols->list;
    tc_status status = TC_OK;
    const char *line;
    size_t size;
    while (symbols->rests && status == TC_OK && tci_deps_list_next(&lines, &line, &size)) {
        char name[TCI_DEPS_SONAME_MAX] = "";
        if (!tci_deps_list_has_come(line, size))
            continue;
        memcpy(name, line, size); /* its size was checked by read_line */
        status = hold_library(symbols, name, err);
    }
    if (status == TC_OK)
        symbols->rests = false;
    else
        tci_symbols_let_go(symbols);
    return status;
}

void tci_symbols_destroy(tci_symbols *symbols)
{
    if (symbols == NULL)
        return;
    tci_symbols_let_go(symbols);
    while (symbols->library_count > 0)
        (void)dlclose(symbols->libraries[--symbols->library_count]);
    free(symbols);
}

/* --- looking up -------------------------------------------------------------------------- */

static void *find_host_symbol(const tci_symbols *symbols, const char *symbol)
{
    for (size_t i = 0; i < symbols->scope.host_count; i++) {
        if (strcmp(symbols->scope.host[i].name, symbol) == 0)
            return symbols->scope.host[i].address;
    }
    return NULL;
}

tci_library *tci_symbols_library(const tci_symbols *symbols, size_t index)
{
    return symbols != NULL && index < symbols->came_count ? symbols->came[index] : NULL;
}

bool tci_symbols_are_old(const tci_symbols *symbols)
{
    for (size_t i = 0; symbols != NULL && i < symbols->came_count; i++) {
        if (!symbols->came[i]->in_force)
            return true;
    }
    return false;
}

/* Runs the resolver of an ifunc. */
static void *find_loaded_symbol(const tci_symbols *symbols, const char *symbol)
{
    void *address = tci_process_symbols_find(symbol);
    if (address == NULL)
        address = dlsym(RTLD_DEFAULT, symbol);
    for (size_t i = 0; address == NULL && i < symbols->library_count; i++)
        address = dlsym(symbols->libraries[i], symbol);
    if (address == NULL && compiler_helpers.library != NULL)
        address = dlsym(compiler_helpers.library, symbol);
    return address;
}

/* --- under a policy ---------------------------------------------------------------------- */

/* A requested symbol, and the result of its lookup. */
typedef struct binding {
    tci_symbols *symbols;
    tci_symbol_words words;
    tci_library_clash *clash; /* NULL: a weak reference, which may stay open */
    char library[TCI_SYMBOL_OWNER_NAME_MAX];
    char alias[TCI_SYMBOL_OWNER_NAME_MAX]; /* by which it is denied; "": its own name */
    tci_symbol_reason reason;
    bool denied;
} binding;

static bool judge_alias(void *user, const char *alias)
{
    binding *b = user;
    if (!tci_symbol_policy_denies_alias(b->symbols->section, b->library, b->words.name, alias,
                                        &b->reason))
        return true;
    (void)snprintf(b->alias, sizeof b->alias, "%s", alias);
    return false;
}

/* `owner` is NULL where only a name is known. */
static bool judge(binding *b, const char *library, const tci_symbol_owner *owner)
{
    (void)snprintf(b->library, sizeof b->library, "%s", library);
    b->denied =
        !tci_symbol_policy_allows(b->symbols->section, library, b->words.name, &b->reason) ||
        (owner != NULL && !tci_symbol_owner_aliases(owner, b->words.name, judge_alias, b));
    return !b->denied;
}

static const tci_symbol_owner *owner_of(uintptr_t address, const tci_symbol_owner *owners,
                                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!owners[i].is_ifunc && owners[i].address == address)
            return &owners[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (owners[i].is_ifunc)
            return &owners[i];
    }
    return NULL;
}

/* Runs no resolver if the symbol is denied in any library that defines it as an ifunc. */
static void *find_allowed_symbol(binding *b)
{
    tci_symbol_owner owners[TCI_SYMBOL_OWNERS_MAX];
    size_t count = tci_symbol_owner_find(b->words.name, owners);
    for (size_t i = 0; i < count; i++) {
        if (owners[i].is_ifunc && !judge(b, owners[i].library, &owners[i]))
            return NULL;
    }
    void *address = find_loaded_symbol(b->symbols, b->words.name);
    if (address == NULL)
        return NULL;
    const tci_symbol_owner *owner = owner_of((uintptr_t)address, owners, count);
    return judge(b, owner != NULL ? owner->library : TCI_LIBRARY_UNKNOWN, owner) ? address
                                                                                 : NULL;
}

static void *find_symbol(binding *b)
{
    tci_symbols *symbols = b->symbols;
    if (symbols->rests && tci_symbols_resume(symbols, NULL) != TC_OK)
        return NULL;
    void *address = find_host_symbol(symbols, b->words.name);
    const char *title = TCI_LIBRARY_TCHAINS;
    if (address == NULL && symbols->came_count > 0) {
        const tci_library *library = tci_library_search(symbols->came, symbols->came_count,
                                                        &b->words, &address, b->clash);
        if (library != NULL && address == NULL)
            return NULL;
        title = library != NULL ? tci_library_title(library) : title;
    }
    if (b->symbols->section == NULL)
        return address != NULL ? address : find_loaded_symbol(b->symbols, b->words.name);
    if (address != NULL)
        return judge(b, title, NULL) ? address : NULL;
    return find_allowed_symbol(b);
}

/* Records a denial once for each symbol, however often it is looked up. */
static void keep_denial(tci_symbols *symbols, const binding *b)
{
    char text[sizeof symbols->denied], *end = symbols->denied + strlen(symbols->denied);
    size_t capacity = sizeof symbols->denied - (size_t)(end - symbols->denied);
    int n = snprintf(text, sizeof text, "symbol %s of %s", b->words.name, b->library);
    if (n < 0 || (size_t)n >= sizeof text || strstr(symbols->denied, text) != NULL)
        return;
    if (*b->alias != '\0')
        n += snprintf(text + n, sizeof text - (size_t)n, ", which %s names too,", b->alias);
    if ((size_t)n < sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, " is denied: %s", b->reason.text);
    if ((size_t)n + 2 < capacity || end == symbols->denied)
        (void)snprintf(end, capacity, "%s%s", end > symbols->denied ? "; " : "", text);
    else
        symbols->denied_more = true;
}

void *tci_symbols_resolve_weak(tci_symbols *symbols, const char *symbol)
{
    binding b = {.symbols = symbols};
    tci_library_search_split(&b.words, symbol);
    return find_symbol(&b);
}

void *tci_symbols_resolve(tci_symbols *symbols, const char *symbol)
{
    binding b = {.symbols = symbols, .clash = &symbols->clash};
    tci_library_search_split(&b.words, symbol);
    void *address = find_symbol(&b);
    if (b.denied)
        keep_denial(symbols, &b);
    return address;
}

static void *answer(void *user, const char *symbol)
{
    return tci_symbols_resolve(user, symbol);
}

static void *answer_weak(void *user, const char *symbol)
{
    return tci_symbols_resolve_weak(user, symbol);
}

void tci_symbols_serve(tci_symbols *symbols, tci_engine_code *code)
{
    code->resolve = answer;
    code->resolve_weak = answer_weak;
    code->resolve_user = symbols;
    code->forbids_assembly = symbols->section != NULL;
}

tc_status tci_symbols_explain(const tci_symbols *symbols, tc_status status, tc_error *err)
{
    if (status != TC_E_UNRESOLVED || symbols == NULL)
        return status;
    if (symbols->clash.status != TC_OK)
        return tci_error_set(err, symbols->clash.status, "%s", symbols->clash.text);
    if (symbols->denied[0] != '\0')
        tci_error_fill(err, status, "%s%s", symbols->denied,
                       symbols->denied_more ? "; and others" : "");
    else if (symbols->lacking[0] != '\0')
        tci_error_prefix(err, "without %s, which cannot be loaded", symbols->lacking);
    return status;
}
