/* rustc has two forms of symbols: an older one, like C++'s with a hash at the end, and v0. */
#include "rust_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct name_reader {
    const char *at;
    char *out;
    size_t used;
} name_reader;

/* Accepts the characters of a part: identifiers, and "$LT$" or ".." in the older form. */
static bool is_name(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!isalnum((unsigned char)text[i]) && strchr("_$.", text[i]) == NULL)
            return false;
    }
    return true;
}

/* Reads a decimal number and as many characters, which become one more part of the name. */
static bool take_part(name_reader *r)
{
    char *name;
    if (!isdigit((unsigned char)*r->at) || *r->at == '0')
        return false;
    unsigned long size = strtoul(r->at, &name, 10);
    if (size > strlen(name) || r->used + size + 3 > TCI_RUST_NAME_MAX || !is_name(name, size))
        return false;
    r->used += (size_t)snprintf(r->out + r->used, TCI_RUST_NAME_MAX - r->used, "%s%.*s",
                                r->used > 0 ? "::" : "", (int)size, name);
    r->at = name + size;
    return true;
}

/* "17h" and sixteen digits: the end of names from rustc, and from no C++ compiler. */
static bool is_hash(const char *at)
{
    static const char start[] = "17h";
    return strncmp(at, start, strlen(start)) == 0 &&
           strspn(at + strlen(start), "0123456789abcdef") == 16 &&
           strcmp(at + strlen(start) + 16, "E") == 0;
}

static bool read_legacy(name_reader *r)
{
    while (!is_hash(r->at)) {
        if (!take_part(r))
            return false;
    }
    return r->used > 0;
}

/* Skips a number that distinguishes equal names: "s1234_". */
static void skip_disambiguator(name_reader *r)
{
    if (*r->at != 's')
        return;
    size_t size = 1;
    while (isalnum((unsigned char)r->at[size]))
        size++;
    if (r->at[size] == '_')
        r->at += size + 1;
}

/* Reads "NvNtCs1234_4core9panicking9panic_fmt": nested paths first, then the crate, then the
 * names; after them perhaps the crate that requested it. */
static bool read_v0(name_reader *r)
{
    while (r->at[0] == 'N' && islower((unsigned char)r->at[1]))
        r->at += 2;
    if (*r->at++ != 'C')
        return false;
    while (*r->at != '\0' && *r->at != 'C') {
        skip_disambiguator(r);
        if (!take_part(r))
            return false;
    }
    return r->used > 0;
}

bool tci_rust_name_read(const char *symbol, char name_out[TCI_RUST_NAME_MAX])
{
    name_reader r = {.out = name_out};
    r.at = symbol + (strncmp(symbol, "_ZN", 3) == 0 ? 3 : 2);
    return strncmp(symbol, "_ZN", 3) == 0  ? read_legacy(&r)
           : strncmp(symbol, "_R", 2) == 0 ? read_v0(&r)
                                           : false;
}
