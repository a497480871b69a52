#include "triple.h"

#include "arch.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *alias;
    const char *name;
} architecture_aliases[] = {
    {"amd64", "x86_64"},
    {"x86-64", "x86_64"},
    {"arm64", "aarch64"},
};

static bool is_triple_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.';
}

/* "linux5.10" and "linux" are one system; so are "freebsd14" and "freebsd". */
static size_t system_length(const char *part, size_t size)
{
    size_t n = 0;
    while (n < size && part[n] >= 'a' && part[n] <= 'z')
        n++;
    return n;
}

static bool is_system(const char *part, size_t size)
{
    static const char *const systems[] = {"linux",  "freebsd", "netbsd",  "openbsd",
                                          "darwin", "macosx",  "windows", "none"};
    size_t n = system_length(part, size);
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        if (n == strlen(systems[i]) && memcmp(part, systems[i], n) == 0)
            return true;
    }
    return false;
}

/* "x86-64" would split at its dash, so aliases are compared before the parts. */
static const char *architecture_of(const char **text, size_t *size)
{
    for (size_t i = 0; i < sizeof architecture_aliases / sizeof architecture_aliases[0]; i++) {
        size_t n = strlen(architecture_aliases[i].alias);
        if (*size >= n && memcmp(*text, architecture_aliases[i].alias, n) == 0 &&
            (*size == n || (*text)[n] == '-')) {
            *text += n;
            *size -= n;
            return architecture_aliases[i].name;
        }
    }
    return NULL;
}

bool tci_triple_normalise(const char *text, size_t size, char out[TCI_TRIPLE_MAX])
{
    if (size == 0 || size >= TCI_TRIPLE_MAX)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (!is_triple_character(text[i]) && text[i] != '-')
            return false;
    }
    const char *alias = architecture_of(&text, &size);
    size_t arch_size = 0;
    const char *arch = text;
    if (alias != NULL) {
        arch = alias;
        arch_size = strlen(alias);
    } else {
        const char *dash = memchr(text, '-', size);
        arch_size = dash == NULL ? size : (size_t)(dash - text);
        text += arch_size;
        size -= arch_size;
    }
    if (arch_size == 0)
        return false;

    const char *os = "linux";
    size_t os_size = 5;
    bool found = size == 0;
    while (size > 0) {
        text++; /* the dash */
        size--;
        const char *dash = size > 0 ? memchr(text, '-', size) : NULL;
        size_t part = dash == NULL ? size : (size_t)(dash - text);
        if (!found && is_system(text, part)) {
            os = text;
            os_size = system_length(text, part);
            found = true;
        }
        text += part;
        size -= part;
    }
    if (!found || arch_size + 1 + os_size >= TCI_TRIPLE_MAX)
        return false;
    (void)snprintf(out, TCI_TRIPLE_MAX, "%.*s-%.*s", (int)arch_size, arch, (int)os_size, os);
    return true;
}

const char *tci_triple_host(void)
{
    return TCI_ARCH_NAME "-linux";
}
