/* Any bytes as a shared object that `tc-clang --library` carries. An accepted object lists
 * exports that an archive can have: in order, unique, not empty, of a kind. */
#include "../../compiler/library_object.h"
#include "fuzzer.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The function of ifunc_module.c, without LLVM. */
void tci_ifunc_code_fini(tci_ifunc_code *code)
{
    free(code->bytes);
    tci_text_list_fini(&code->exports);
}

static void check(const tci_ifunc_code *code, const uint8_t *data, size_t size)
{
    MUST(code->size == size && memcmp(code->bytes, data, size) == 0);
    MUST(code->form == TCI_FORM_SHARED && code->is_library && code->exports.count > 0);
    for (size_t i = 0; i < code->exports.count; i++) {
        const char *item = code->exports.items[i];
        const size_t length = strlen(item);
        MUST(item[0] == '0' + TCI_EXPORT_FUNCTION || item[0] == '0' + TCI_EXPORT_DATA);
        MUST(length > 1 && length <= TCI_ARCHIVE_SYMBOL_MAX);
        MUST(i == 0 || strcmp(code->exports.items[i - 1] + 1, item + 1) <= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_ifunc_code code;
    tc_error err = {.status = TC_OK};
    char path[64];
    int fd = memfd_create("object", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    tc_status status = tci_library_object_read(path, "stock", &code, &err);
    (void)close(fd);
    if (status == TC_OK) {
        check(&code, data, size);
        tci_ifunc_code_fini(&code);
    } else {
        MUST(err.status == status && err.text[0] != '\0');
    }
    return 0;
}
