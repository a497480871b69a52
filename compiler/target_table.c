#include "target_table.h"

#include "base/error_text.h"
#include "base/triple.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const tci_target targets[TCI_TARGETS_MAX] = {
    {"x86_64-linux", "x86_64-linux-gnu", "libc6-dev-amd64-cross", "g++-x86-64-linux-gnu"},
    {"aarch64-linux", "aarch64-linux-gnu", "libc6-dev-arm64-cross", "g++-aarch64-linux-gnu"},
};

static const tci_target *find(const char *text, size_t size)
{
    char triple[TCI_TRIPLE_MAX];
    if (!tci_triple_normalise(text, size, triple))
        return NULL;
    for (size_t i = 0; i < TCI_TARGETS_MAX; i++) {
        if (strcmp(targets[i].triple, triple) == 0)
            return &targets[i];
    }
    return NULL;
}

tc_status tci_target_table_parse_list(const char *text,
                                      const tci_target *targets_out[TCI_TARGETS_MAX],
                                      size_t *count_out, tc_error *err)
{
    size_t count = 0;
    for (;;) {
        size_t size = strcspn(text, ",");
        const tci_target *target = find(text, size);
        bool is_new = true;
        if (target == NULL)
            return tci_error_set(err, TC_E_INVALID,
                                 "unknown target '%.*s', expected x86_64 or aarch64", (int)size,
                                 text);
        for (size_t i = 0; i < count; i++)
            is_new = is_new && targets_out[i] != target;
        if (is_new)
            targets_out[count++] = target;
        text += size;
        if (*text == '\0')
            break;
        text++;
    }
    *count_out = count;
    return TC_OK;
}

bool tci_target_table_is_host(const tci_target *target)
{
    return strcmp(target->triple, tci_triple_host()) == 0;
}

bool tci_target_table_header_folder(const tci_target *target, char *out, size_t size)
{
    const char *root = getenv("TC_CROSS_ROOT");
    int n =
        snprintf(out, size, "%s/%s/include", root != NULL ? root : "/usr", target->gnu_triple);
    return n > 0 && (size_t)n < size;
}

bool tci_target_table_has_headers(const tci_target *target)
{
    char folder[4096];
    char multiarch[128];
    (void)snprintf(multiarch, sizeof multiarch, "/usr/include/%s/bits", target->gnu_triple);
    return (tci_target_table_header_folder(target, folder, sizeof folder) &&
            access(folder, F_OK) == 0) ||
           access(multiarch, F_OK) == 0;
}

bool tci_target_table_has_cxx_headers(const tci_target *target)
{
    char folder[4096];
    (void)snprintf(folder, sizeof folder, "/usr/%s/include/c++", target->gnu_triple);
    return getenv("TC_CROSS_ROOT") == NULL && access(folder, F_OK) == 0;
}

void tci_target_table_explain_headers(const tci_target *target, bool is_cxx)
{
    char folder[4096];
    bool has_c = tci_target_table_has_headers(target);
    if (tci_target_table_is_host(target) ||
        (is_cxx ? tci_target_table_has_cxx_headers(target) : has_c) ||
        !tci_target_table_header_folder(target, folder, sizeof folder))
        return;
    (void)fprintf(stderr,
                  "tc-clang: note: the %s library's headers for %s are not installed (no "
                  "%s%s); on Debian "
                  "and Ubuntu the package %s has them\n",
                  is_cxx ? "C++" : "C", target->triple, folder, is_cxx ? "/c++" : "",
                  is_cxx ? target->cxx_package : target->package);
}
