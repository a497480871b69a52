/* The first bytes of a file give its kind; libelf reads shared libraries, a small scanner
 * linker scripts. */
#include "library_file.h"

#include "base/error_text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCRIPT_BYTES_MAX = 64 << 10 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* --- shared libraries -------------------------------------------------------------------- */

/* The name goes into a text file with one name per line, and later to dlopen. */
static tc_status keep_soname(const char *path, const char *soname, tci_library_file *file,
                             tc_error *err)
{
    size_t size = strlen(soname);
    if (size == 0 || size >= sizeof file->soname)
        return tci_error_set(err, TC_E_CORRUPT, "%s: soname of %zu bytes, expected 1 to %zu",
                             path, size, sizeof file->soname - 1);
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)soname[i] <= 0x20 || soname[i] == 0x7f)
            return tci_error_set(err, TC_E_CORRUPT, "%s: soname '%s' has blanks in it", path,
                                 soname);
    }
    memcpy(file->soname, soname, size + 1);
    return TC_OK;
}

/* Returns DT_SONAME, or NULL. elf_strptr checks offsets against the string section. */
static const char *dynamic_soname(Elf *elf, Elf_Scn *section)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || gelf_getshdr(section, &header) == NULL)
        return NULL;
    GElf_Dyn entry;
    for (int i = 0; gelf_getdyn(data, i, &entry) != NULL && entry.d_tag != DT_NULL; i++) {
        if (entry.d_tag == DT_SONAME)
            return elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    }
    return NULL;
}

static Elf_Scn *dynamic_section(Elf *elf)
{
    GElf_Shdr header;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s != NULL; s = elf_nextscn(elf, s)) {
        if (gelf_getshdr(s, &header) != NULL && header.sh_type == SHT_DYNAMIC)
            return s;
    }
    return NULL;
}

static tc_status read_elf(const char *path, Elf *elf, tci_library_file *file, tc_error *err)
{
    GElf_Ehdr header;
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL)
        return tci_error_set(err, TC_E_CORRUPT, "%s: damaged ELF header: %s", path,
                             elf_errmsg(-1));
    file->kind = TCI_LIBRARY_FOREIGN;
    if (gelf_getclass(elf) != ELFCLASS64 ||
        (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
        return TC_OK;
    if (header.e_type != ET_DYN)
        return tci_error_set(err, TC_E_CORRUPT,
                             "%s: ELF file of type %u, expected a shared library", path,
                             (unsigned)header.e_type);
    Elf_Scn *section = dynamic_section(elf);
    if (section == NULL)
        return tci_error_set(err, TC_E_CORRUPT, "%s: shared library without a dynamic section",
                             path);
    const char *soname = dynamic_soname(elf, section);
    file->kind = TCI_LIBRARY_SHARED;
    return keep_soname(path, soname != NULL ? soname : base_name(path), file, err);
}

static tc_status read_shared(const char *path, int fd, tci_library_file *file, tc_error *err)
{
    (void)elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf == NULL)
        return tci_error_set(err, TC_E_CORRUPT, "%s: %s", path, elf_errmsg(-1));
    tc_status status = read_elf(path, elf, file, err);
    (void)elf_end(elf);
    return status;
}

/* --- scripts ----------------------------------------------------------------------------- */

static tc_status read_script(const char *path, int fd, size_t size, tci_library_file *file,
                             tc_error *err)
{
    file->kind = TCI_LIBRARY_FOREIGN;
    if (size > SCRIPT_BYTES_MAX)
        return TC_OK;
    char *text = malloc(size + 1);
    if (text == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: no memory for %zu bytes", path, size);
    ssize_t n = pread(fd, text, size, 0);
    if (n > 0 && tci_library_script_read(text, (size_t)n, &file->inputs))
        file->kind = TCI_LIBRARY_SCRIPT;
    free(text);
    if (file->inputs.failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: no memory for the names in it", path);
    return TC_OK;
}

/* --- any --------------------------------------------------------------------------------- */

static tc_status read_by_magic(const char *path, int fd, tci_library_file *file, tc_error *err)
{
    struct stat st;
    char magic[8] = {0};
    if (fstat(fd, &st) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    if (!S_ISREG(st.st_mode)) {
        file->kind = TCI_LIBRARY_FOREIGN;
        return TC_OK;
    }
    if (pread(fd, magic, sizeof magic, 0) < 0)
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    if (memcmp(magic, "\177ELF", 4) == 0)
        return read_shared(path, fd, file, err);
    if (memcmp(magic, "!<arch>\n", 8) == 0 || memcmp(magic, "!<thin>\n", 8) == 0) {
        file->kind = TCI_LIBRARY_STATIC;
        return TC_OK;
    }
    return read_script(path, fd, (size_t)st.st_size, file, err);
}

tc_status tci_library_file_read(const char *path, tci_library_file *file_out, tc_error *err)
{
    tci_library_file file = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return tci_error_errno(err,
                               errno == ENOENT || errno == ENOTDIR ? TC_E_NOT_FOUND : TC_E_IO,
                               errno, "%s", path);
    tc_status status = read_by_magic(path, fd, &file, err);
    (void)close(fd);
    if (status != TC_OK) {
        tci_library_file_fini(&file);
        return status;
    }
    *file_out = file;
    return TC_OK;
}

void tci_library_file_fini(tci_library_file *file)
{
    tci_text_list_fini(&file->inputs);
}

/* --- linker scripts ---------------------------------------------------------------------- */

typedef struct scanner {
    const char *text;
    size_t size;
    size_t at;
} scanner;

typedef struct token {
    const char *text;
    size_t size; /* 0 at the end */
} token;

static bool is_delimiter(char c)
{
    return isspace((unsigned char)c) || c == '(' || c == ')' || c == ',' || c == ';';
}

static bool at_comment(const scanner *s)
{
    return s->size - s->at >= 2 && memcmp(s->text + s->at, "/*", 2) == 0;
}

static void skip_blanks(scanner *s)
{
    while (s->at < s->size) {
        char c = s->text[s->at];
        if (at_comment(s)) {
            const char *end = memmem(s->text + s->at + 2, s->size - s->at - 2, "*/", 2);
            s->at = end != NULL ? (size_t)(end - s->text) + 2 : s->size;
        } else if (isspace((unsigned char)c) || c == ',' || c == ';') {
            s->at++;
        } else {
            return;
        }
    }
}

/* Reads a parenthesis, a quoted name (without its quotes), or a bare word. */
static token next_token(scanner *s)
{
    skip_blanks(s);
    if (s->at >= s->size)
        return (token){.text = s->text, .size = 0};
    const char *start = s->text + s->at;
    if (*start == '(' || *start == ')') {
        s->at++;
        return (token){.text = start, .size = 1};
    }
    if (*start == '"') {
        const char *end = memchr(start + 1, '"', s->size - s->at - 1);
        size_t size = end != NULL ? (size_t)(end - start) - 1 : s->size - s->at - 1;
        s->at += size + (end != NULL ? 2 : 1);
        return (token){.text = start + 1, .size = size};
    }
    while (s->at < s->size && !is_delimiter(s->text[s->at]))
        s->at++;
    return (token){.text = start, .size = (size_t)(s->text + s->at - start)};
}

static bool is(token t, const char *word)
{
    return t.size == strlen(word) && memcmp(t.text, word, t.size) == 0;
}

/* Reads the names between the parentheses after a command; `inputs` NULL skips them. */
static bool read_arguments(scanner *s, tci_text_list *inputs)
{
    if (!is(next_token(s), "("))
        return false;
    /* Everything below the depth at which AS_NEEDED opened is left out. */
    unsigned depth = 1, skip_below = 0;
    while (depth > 0) {
        token t = next_token(s);
        if (t.size == 0)
            return false;
        if (is(t, "("))
            depth++;
        else if (is(t, ")"))
            depth--;
        else if (is(t, "AS_NEEDED"))
            skip_below = skip_below == 0 ? depth : skip_below;
        else if (inputs != NULL && skip_below == 0)
            tci_text_list_add_bytes(inputs, t.text, t.size);
        if (is(t, ")") && depth == skip_below)
            skip_below = 0;
    }
    return true;
}

static bool is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == 0x7f || (c < 0x20 && !isspace(c)))
            return false;
    }
    return true;
}

bool tci_library_script_read(const char *text, size_t size, tci_text_list *inputs)
{
    scanner s = {.text = text, .size = size};
    bool has_command = false;
    if (!is_text(text, size))
        return false;
    for (;;) {
        token t = next_token(&s);
        if (t.size == 0)
            return has_command;
        bool names_inputs = is(t, "GROUP") || is(t, "INPUT");
        if (!read_arguments(&s, names_inputs ? inputs : NULL))
            return false;
        has_command = has_command || names_inputs;
    }
}
