/* Lists the loaded files once, keeps those that were loaded with the program, and searches
 * their symbol tables in dlsym's order. */
#include "process_symbols.h"

#include "base/arch.h"
#include "symbol_table.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#ifdef TCI_ARCH_AARCH64
#include <sys/ifunc.h>
#endif

#define SYMBOL_FILES_MAX 256u
#define VERSION_HIDDEN                                                                         \
    0x8000u              /* of an older version of a name: found only by that version itself */
#define VERSION_FIRST 2u /* below are local and unversioned names */

typedef struct loaded_file {
    const char *path;
    uintptr_t base;
    const Elf64_Dyn *dynamic; /* NULL: no names can be looked up */
    tci_symbol_table table;
    bool is_kernels; /* the vDSO, which dlsym does not search */
    bool was_first;  /* loaded with the program, as far as is known */
} loaded_file;

static struct {
    pthread_once_t once;
    loaded_file *files; /* in dlsym's search order */
    size_t count;
} process = {.once = PTHREAD_ONCE_INIT};

/* --- files -------------------------------------------------------------------------------- */

static int note_file(struct dl_phdr_info *info, size_t size, void *user)
{
    const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    (void)size, (void)user;
    if (process.count == SYMBOL_FILES_MAX)
        return 1;
    loaded_file *file = &process.files[process.count++];
    file->path = info->dlpi_name;
    file->base = info->dlpi_addr;
    for (Elf64_Half i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *header = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_DYNAMIC)
            file->dynamic = (const void *)begin;
        else if (header->p_type == PT_LOAD && vdso >= begin && vdso - begin < header->p_memsz)
            file->is_kernels = true;
    }
    if (file->dynamic != NULL &&
        !tci_symbol_table_read(file->base, file->dynamic, &file->table))
        file->dynamic = NULL;
    return 0;
}

static bool is_called(const loaded_file *file, const char *soname)
{
    const char *slash = strrchr(file->path, '/');
    return strcmp(slash != NULL ? slash + 1 : file->path, soname) == 0 ||
           (file->table.soname != NULL && strcmp(file->table.soname, soname) == 0);
}

static bool mark_needed(const loaded_file *by)
{
    bool is_news = false;
    for (const Elf64_Dyn *d = by->dynamic; d != NULL && d->d_tag != DT_NULL; d++) {
        for (size_t i = 0; d->d_tag == DT_NEEDED && i < process.count; i++) {
            loaded_file *file = &process.files[i];
            if (file->was_first || !is_called(file, by->table.names + d->d_un.d_val))
                continue;
            file->was_first = is_news = true;
        }
    }
    return is_news;
}

/* Libraries are listed in load order, so all those before one that the program needs were
 * loaded with it as well. A library that cannot be read ends the list, as it may define a name
 * before those after it. */
static void keep_first_files(void)
{
    size_t kept = 0, last = 0;
    bool is_news = process.count > 0;
    if (process.count > 0)
        process.files[0].was_first = true;
    while (is_news) {
        is_news = false;
        for (size_t i = 0; i < process.count; i++)
            is_news |= process.files[i].was_first && mark_needed(&process.files[i]);
    }
    for (size_t i = 0; i < process.count; i++)
        last = process.files[i].was_first ? i + 1 : last;
    for (size_t i = 0; i < last; i++) {
        if (process.files[i].is_kernels)
            continue;
        if (process.files[i].dynamic == NULL)
            break;
        process.files[kept++] = process.files[i];
    }
    process.count = kept;
}

static void note_files(void)
{
    /* bound: SYMBOL_FILES_MAX */
    process.files = calloc(SYMBOL_FILES_MAX, sizeof *process.files);
    if (process.files == NULL)
        return; /* dlsym is used instead */
    (void)dl_iterate_phdr(note_file, NULL);
    keep_first_files();
}

void tci_process_symbols_prepare(void)
{
    pthread_once(&process.once, note_files);
}

/* --- looking up --------------------------------------------------------------------------- */

typedef struct search {
    const loaded_file *file;
    const Elf64_Sym *found;
} search;

/* Judges by the loader's rules. If there are several versions, it takes the one that new
 * programs are linked with. A function that is defined elsewhere has its address here if the
 * program compares such addresses. */
static bool judge(void *user, uint32_t index)
{
    search *s = user;
    const tci_symbol_table *table = &s->file->table;
    const Elf64_Sym *symbol = &table->symbols[index];
    const unsigned binding = ELF64_ST_BIND(symbol->st_info);
    const Elf64_Versym version = table->versions != NULL ? table->versions[index] : 0;
    const bool is_hidden =
        (version & VERSION_HIDDEN) != 0 && (version & ~VERSION_HIDDEN) >= VERSION_FIRST;
    const bool is_there = symbol->st_value != 0 || symbol->st_shndx == SHN_ABS ||
                          ELF64_ST_TYPE(symbol->st_info) == STT_TLS;
    if (binding == STB_LOCAL || is_hidden || !is_there)
        return true;
    s->found = symbol;
    return false;
}

static void *resolve(uintptr_t resolver)
{
#if defined(TCI_ARCH_X86_64)
    return ((void *(*)(void))resolver)();
#elif defined(TCI_ARCH_AARCH64)
    const __ifunc_arg_t processor = {._size = sizeof processor,
                                     ._hwcap = getauxval(AT_HWCAP),
                                     ._hwcap2 = getauxval(AT_HWCAP2)};
    return ((void *(*)(uint64_t, const __ifunc_arg_t *))resolver)(
        processor._hwcap | _IFUNC_ARG_HWCAP, &processor);
#else
#error "how are resolvers of GNU ifuncs called here?"
#endif
}

static void *address_of(const search *s)
{
    const uintptr_t base = s->found->st_shndx == SHN_ABS ? 0 : s->file->base;
    const uintptr_t address = base + s->found->st_value;
    switch (ELF64_ST_TYPE(s->found->st_info)) {
    case STT_TLS:
        return NULL;
    case STT_GNU_IFUNC:
        return s->found->st_shndx != SHN_UNDEF ? resolve(address) : (void *)address;
    default:
        return (void *)address;
    }
}

void *tci_process_symbols_find(const char *name)
{
    search s = {.found = NULL};
    tci_process_symbols_prepare();
    for (size_t i = 0; i < process.count; i++) {
        s.file = &process.files[i];
        tci_symbol_table_look_up(&s.file->table, name, judge, &s);
        if (s.found != NULL)
            return address_of(&s);
    }
    return NULL;
}
