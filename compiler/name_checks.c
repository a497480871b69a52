#include "name_checks.h"

#include "base/error_text.h"
#include "prototype.h"
#include "source_place.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef enum name_match { WHOLE, START } name_match;

static const char at_end[] = "cannot be shipped; it keeps the address of code, such as a "
                             "destructor, for a time when the code may be gone";
static const char of_sanitizer[] =
    "is of a sanitizer's library, which targets do not have; give -fsanitize-trap=all";
static const char of_section[] = "names the bounds of a section in which no variable is";
static const char of_linker[] = "is made by a linker of programs; there is none of it here";

/* The first matching row is used. */
static const struct name_row {
    const char *name;
    name_match match;
    const char *why;
} rows[] = {
    {"atexit", WHOLE, at_end},
    {"at_quick_exit", WHOLE, at_end},
    {"on_exit", WHOLE, at_end},
    {"pthread_atfork", WHOLE, at_end},
    {"__cxa_atexit", WHOLE, at_end},
    {"__cxa_at_quick_exit", WHOLE, at_end},
    {"__cxa_thread_atexit", START, at_end},
    {"__dso_handle", WHOLE, at_end},
    {"__ubsan_handle_", START, of_sanitizer},
    {"__start_", START, of_section},
    {"__stop_", START, of_section},
    {"__bss_start", WHOLE, of_linker},
    {"__executable_start", WHOLE, of_linker},
    {"__ehdr_start", WHOLE, of_linker},
    {"_etext", WHOLE, of_linker},
    {"_edata", WHOLE, of_linker},
    {"_end", WHOLE, of_linker},
};

typedef struct name_search {
    const char *origin;
    bool keeps_code; /* found a name that registers code for the end */
    tci_text_list *findings;
} name_search;

static void report(const name_search *s, LLVMValueRef value, const char *name, size_t size,
                   const char *why)
{
    char place[TCI_PLACE_MAX];
    char line[TCI_PLACE_MAX + 512];
    tci_source_place_of_use(value, s->origin, place);
    (void)snprintf(line, sizeof line, "%s: error: '%.*s' %s", place,
                   size > 200 ? 200 : (int)size, name, why);
    tci_text_list_add_once(s->findings, line);
}

static const char *reason_of(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t n = strlen(rows[i].name);
        if (size >= n && memcmp(rows[i].name, name, n) == 0 &&
            (size == n || (rows[i].match == START && size > n)))
            return rows[i].why;
    }
    return NULL;
}

/* Returns whether the name is an argument of the C++ ABI's functions for the end, one of which
 * was found. */
static bool is_argument_at_end(const name_search *s, const char *name, size_t size)
{
    static const char argument[] = "__dso_handle";
    return s->keeps_code && size == strlen(argument) && memcmp(name, argument, size) == 0;
}

/* Returns the size of the name in front of a prototype, and reports a text that is none. */
static size_t check_prototype(const name_search *s, LLVMValueRef value, const char *name)
{
    static const char in_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                   "0123456789.$";
    tc_error error;
    const size_t size = strspn(name, in_names);
    if (size == 0 || name[size] != '(')
        return strlen(name);
    if (tci_prototype_check(name + size, TC_E_INVALID, &error) != TC_OK) {
        tci_error_prefix(&error, "states a wrong prototype");
        report(s, value, name, size, error.text);
    }
    return size;
}

static void check_name(name_search *s, LLVMValueRef value)
{
    const char *name = LLVMGetValueName(value);
    name += name[0] == '\1';
    const size_t size = check_prototype(s, value, name);
    if (!LLVMIsDeclaration(value) || LLVMGetFirstUse(value) == NULL)
        return;
    const char *why = reason_of(name, size);
    if (why == NULL || LLVMGetLinkage(value) == LLVMExternalWeakLinkage ||
        is_argument_at_end(s, name, size))
        return;
    s->keeps_code = s->keeps_code || why == at_end;
    report(s, value, name, size, why);
}

void tci_name_checks_run(LLVMModuleRef module, const char *origin, tci_text_list *findings)
{
    name_search s = {.origin = origin, .findings = findings};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMGetIntrinsicID(f) == 0)
            check_name(&s, f);
    }
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
        check_name(&s, v);
}
