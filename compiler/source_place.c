#include "source_place.h"

#include "engine/orc/llvm_compat.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A use may sit inside constant expressions and initialisers, which LLVM shares and nests; real
 * code nests a few deep. */
enum { USE_DEPTH_MAX = 8 };

static bool has_place(LLVMValueRef value)
{
    return LLVMIsAInstruction(value) != NULL || LLVMIsAFunction(value) != NULL ||
           LLVMIsAGlobalVariable(value) != NULL;
}

bool tci_source_place_is_working_directory(const char *directory, size_t size)
{
    char cwd[4096];
    return getcwd(cwd, sizeof cwd) != NULL && strlen(cwd) == size &&
           memcmp(cwd, directory, size) == 0;
}

static bool place_from_debug_info(LLVMValueRef value, char out[TCI_PLACE_MAX])
{
    unsigned file_size = 0, directory_size = 0;
    if (!has_place(value))
        return false;
    unsigned line = LLVMGetDebugLocLine(value);
    const char *file = LLVMGetDebugLocFilename(value, &file_size);
    if (file == NULL || file_size == 0)
        return false;
    const char *directory = LLVMGetDebugLocDirectory(value, &directory_size);
    if (directory == NULL || file[0] == '/' ||
        tci_source_place_is_working_directory(directory, directory_size))
        directory_size = 0;
    int n = snprintf(out, TCI_PLACE_MAX, "%.*s%s%.*s", (int)directory_size,
                     directory_size > 0 ? directory : "", directory_size > 0 ? "/" : "",
                     (int)file_size, file);
    if (line == 0 || n < 0 || n >= TCI_PLACE_MAX)
        return true;
    unsigned column = LLVMIsAInstruction(value) != NULL ? LLVMGetDebugLocColumn(value) : 0;
    if (column > 0)
        (void)snprintf(out + n, (size_t)(TCI_PLACE_MAX - n), ":%u:%u", line, column);
    else
        (void)snprintf(out + n, (size_t)(TCI_PLACE_MAX - n), ":%u", line);
    return true;
}

static bool place_of_first_use(LLVMValueRef value, int depth, char out[TCI_PLACE_MAX])
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (place_from_debug_info(user, out))
            return true;
        if (depth > 0 && LLVMIsAConstant(user) != NULL &&
            place_of_first_use(user, depth - 1, out))
            return true;
    }
    return false;
}

void tci_source_place_of(LLVMValueRef value, const char *origin, char out[TCI_PLACE_MAX])
{
    if (place_from_debug_info(value, out) || place_of_first_use(value, USE_DEPTH_MAX, out))
        return;
    (void)snprintf(out, TCI_PLACE_MAX, "%s", origin);
}

void tci_source_place_of_use(LLVMValueRef value, const char *origin, char out[TCI_PLACE_MAX])
{
    if (!place_of_first_use(value, USE_DEPTH_MAX, out))
        tci_source_place_of(value, origin, out);
}
