#include "module_text.h"

#include "base/error_text.h"
#include "engine/orc/llvm_compat.h"

#include <string.h>

/* In LLVM's text a top-level entity starts at column 0, and line breaks inside strings are
 * escaped, so a line says by its start what it is. */

/* "!llvm.ident = !{!0}", but not the numbered "!0 = ..." nor anything indented. */
static bool is_named_metadata(const char *line, size_t size)
{
    return size > 1 && line[0] == '!' && !(line[1] >= '0' && line[1] <= '9');
}

static bool starts_with(const char *line, size_t size, const char *prefix)
{
    size_t n = strlen(prefix);
    return size >= n && memcmp(line, prefix, n) == 0;
}

/* Where "dso_local " starts in the line of an undefined symbol; size when it is not there. */
static size_t dso_local_at(const char *line, size_t size)
{
    static const char *const heads[] = {"declare ", "declare extern_weak "};
    static const char word[] = "dso_local ";
    static const char *const variables[] = {" = external dso_local ",
                                            " = extern_weak dso_local "};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        size_t n = strlen(heads[i]);
        if (starts_with(line, size, heads[i]) && starts_with(line + n, size - n, word))
            return n;
    }
    for (size_t i = 0; line[0] == '@' && i < sizeof variables / sizeof variables[0]; i++) {
        const char *at = memmem(line, size, variables[i], strlen(variables[i]));
        if (at != NULL)
            return (size_t)(at - line) + strlen(variables[i]) - strlen(word);
    }
    return size;
}

/* Works in place: what is written never overtakes what is read. Returns the new size. */
static size_t clean_lines(char *text, size_t size, bool keep_metadata)
{
    size_t out = 0;
    for (size_t at = 0; at < size;) {
        const char *line = text + at;
        const char *end = memchr(line, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - line) + 1 : size - at;
        at += length;
        if (is_named_metadata(line, length) && !keep_metadata)
            continue;
        size_t cut = dso_local_at(line, length);
        size_t skip = cut < length ? strlen("dso_local ") : 0;
        memmove(text + out, line, cut);
        memmove(text + out + cut, line + cut + skip, length - cut - skip);
        out += length - skip;
    }
    return out;
}

tc_status tci_module_text_clean(LLVMModuleRef module, bool keep_metadata,
                                LLVMContextRef context, LLVMModuleRef *clean_out, tc_error *err)
{
    char *text = LLVMPrintModuleToString(module);
    if (text == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory to print a module");
    size_t size = clean_lines(text, strlen(text), keep_metadata);
    char *message;
    bool ok = tci_llvm_parse_ir(context, text, size, clean_out, &message);
    if (!ok)
        (void)tci_error_set(err, TC_E_COMPILE, "module does not survive printing: %s",
                            message != NULL ? message : "no reason given");
    LLVMDisposeMessage(message);
    LLVMDisposeMessage(text);
    return ok ? TC_OK : TC_E_COMPILE;
}
