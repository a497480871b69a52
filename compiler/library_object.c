#include "library_object.h"

#include "archive_file.h"
#include "base/error_text.h"

#include <ctype.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

bool tci_library_object_is(const char *path)
{
    const char *at = strstr(path, ".so");
    for (const char *next; at != NULL && (next = strstr(at + 1, ".so")) != NULL;)
        at = next;
    for (at = at != NULL ? at + 3 : "x"; *at != '\0'; at++) {
        if (*at != '.' && !isdigit((unsigned char)*at))
            return false;
    }
    return true;
}

/* --- exports ----------------------------------------------------------------------------- */

static bool is_own(const char *symbol, const char *name)
{
    const size_t n = strlen(name);
    if (strcmp(symbol, "_init") == 0 || strcmp(symbol, "_fini") == 0)
        return true;
    return strncmp(symbol, name, n) == 0 &&
           (strcmp(symbol + n, "_init") == 0 || strcmp(symbol + n, "_fini") == 0);
}

static bool is_exported(const GElf_Sym *symbol)
{
    const unsigned binding = GELF_ST_BIND(symbol->st_info);
    const unsigned visibility = GELF_ST_VISIBILITY(symbol->st_other);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
           (binding == STB_GLOBAL || binding == STB_WEAK) &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static void add_symbol(const GElf_Sym *symbol, const char *text, const char *name,
                       tci_text_list *exports)
{
    char item[TCI_ARCHIVE_SYMBOL_MAX + 1];
    const unsigned type = GELF_ST_TYPE(symbol->st_info);
    const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (text == NULL || text[0] == '\0' || strlen(text) >= TCI_ARCHIVE_SYMBOL_MAX ||
        is_own(text, name) || !is_exported(symbol) || (!is_function && type != STT_OBJECT))
        return;
    item[0] = (char)('0' + (is_function ? TCI_EXPORT_FUNCTION : TCI_EXPORT_DATA));
    memcpy(item + 1, text, strlen(text) + 1);
    tci_text_list_add_once(exports, item); /* a symbol may have several versions */
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a + 1, *(char *const *)b + 1);
}

static void list_exports(Elf *elf, const char *name, tci_text_list *exports)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s != NULL; s = elf_nextscn(elf, s)) {
        if (gelf_getshdr(s, &header) == NULL || header.sh_type != SHT_DYNSYM)
            continue;
        Elf_Data *data = elf_getdata(s, NULL);
        for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++)
            add_symbol(&symbol, elf_strptr(elf, header.sh_link, symbol.st_name), name, exports);
    }
    if (!exports->failed && exports->count > 1)
        qsort(exports->items, exports->count, sizeof *exports->items, compare);
}

/* --- the file ---------------------------------------------------------------------------- */

static tc_status read_header(Elf *elf, tci_ifunc_code *code, tc_error *err)
{
    GElf_Ehdr header;
    if (elf == NULL || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL)
        return tci_error_set(err, TC_E_CORRUPT, "no ELF file");
    if (gelf_getclass(elf) != ELFCLASS64 || header.e_type != ET_DYN ||
        (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
        return tci_error_set(err, TC_E_CORRUPT,
                             "ELF file of type %u for machine %u, expected a shared object for "
                             "x86_64 or aarch64",
                             (unsigned)header.e_type, (unsigned)header.e_machine);
    strcpy(code->triple, header.e_machine == EM_X86_64 ? "x86_64-linux" : "aarch64-linux");
    return TC_OK;
}

static tc_status read_elf(const char *name, tci_ifunc_code *code, tc_error *err)
{
    (void)elf_version(EV_CURRENT);
    Elf *elf = elf_memory(code->bytes, code->size);
    tc_status status = read_header(elf, code, err);
    if (status == TC_OK)
        list_exports(elf, name, &code->exports);
    (void)elf_end(elf);
    if (status == TC_OK && code->exports.failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for the list of exports");
    if (status == TC_OK && code->exports.count == 0)
        return tci_error_set(err, TC_E_CORRUPT, "it exports nothing");
    return status;
}

tc_status tci_library_object_read(const char *path, const char *name, tci_ifunc_code *code_out,
                                  tc_error *err)
{
    tci_ifunc_code code = {.form = TCI_FORM_SHARED,
                           .entries = TCI_ENTRY_MAIN,
                           .payload.alignment = TCI_PAYLOAD_ALIGNMENT_MIN,
                           .is_library = true};
    TC_TRY(
        tci_archive_file_read(path, TCI_ARCHIVE_SLICE_BYTES_MAX, &code.bytes, &code.size, err));
    tc_status status = read_elf(name, &code, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "%s", path);
        tci_ifunc_code_fini(&code);
        return status;
    }
    *code_out = code;
    return TC_OK;
}
