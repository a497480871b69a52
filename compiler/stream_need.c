#include "stream_need.h"

#include "base/error_text.h"
#include "module_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION "_ZSt21ios_base_library_initv"

static const char line[] = ".globl " FUNCTION;

/* The function is not called: it would count one user of the streams that never ends. */
static const char text[] = "declare void @" FUNCTION "()\n"
                           "@tc.stream.need = internal constant ptr @" FUNCTION "\n"
                           "define internal void @tc.need.streams() nounwind {\n"
                           "  %address = load volatile ptr, ptr @tc.stream.need\n"
                           "  ret void\n"
                           "}\n"
                           "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]\n"
                           "  [{ i32, ptr, ptr } { i32 0, ptr @tc.need.streams, ptr null }]\n";

/* Copies the assembly without such lines; returns the size of the copy. */
static size_t copy_rest(const char *assembly, size_t size, char *rest, bool *found_out)
{
    size_t used = 0;
    *found_out = false;
    for (size_t at = 0, length; at < size; at += length + 1) {
        const char *end = memchr(assembly + at, '\n', size - at);
        length = end != NULL ? (size_t)(end - assembly) - at : size - at;
        if (length == sizeof line - 1 && memcmp(assembly + at, line, length) == 0) {
            *found_out = true;
            continue;
        }
        memcpy(rest + used, assembly + at, length);
        used += length;
        if (end != NULL)
            rest[used++] = '\n';
    }
    return used;
}

tc_status tci_stream_need_lower(LLVMModuleRef module, tc_error *err)
{
    size_t size;
    bool found;
    const char *assembly = LLVMGetModuleInlineAsm(module, &size);
    if (size == 0)
        return TC_OK;
    char *rest = malloc(size);
    if (rest == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a copy of the assembly");
    const size_t used = copy_rest(assembly, size, rest, &found);
    if (found)
        LLVMSetModuleInlineAsm2(module, rest, used);
    free(rest);
    return found ? tci_module_text_link(module, "the need of <iostream>", text, sizeof text - 1,
                                        err)
                 : TC_OK;
}
