#include "object_bounds.h"

#include "base/error_text.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

/* Memory that linking may take besides the linked code, however little memory code may have. */
#define WORK_FREE_BYTES (64u << 20)

typedef enum counted { SECTIONS, SYMBOLS, RELOCATIONS, UNWIND_RECORDS, COUNTED } counted;

/* The cost of one of each for the linker was measured with LLVM 19; a record of an unwind
 * table costs that much for every record. With all of them at their maximum, a link takes a
 * second. */
static const struct {
    const char *what;
    uint64_t max;
    uint64_t bytes;
} bounds[COUNTED] = {
    [SECTIONS] = {"sections", 16384, 2048},
    [SYMBOLS] = {"functions, variables and undefined symbols", TCI_OBJECT_BOUNDS_SYMBOLS_MAX,
                 512},
    [RELOCATIONS] = {"relocations", TCI_OBJECT_BOUNDS_RELOCATIONS_MAX, 80},
    [UNWIND_RECORDS] = {"unwind tables", TCI_OBJECT_BOUNDS_UNWIND_MAX, 17},
};

/* Counts the records of a section .eh_frame. Each begins with a length, of 12 bytes when the
 * first four are all ones. */
static uint64_t count_records(const tci_elf_section *section)
{
    uint64_t count = 0;
    for (uint64_t at = 0; section->content != NULL && section->size - at >= 4; count++) {
        uint32_t short_length;
        uint64_t length, head = 4;
        memcpy(&short_length, section->content + at, sizeof short_length);
        length = short_length;
        if (short_length == UINT32_MAX) {
            head = 12;
            if (section->size - at < head)
                break;
            memcpy(&length, section->content + at + 4, sizeof length);
        }
        if (length > section->size - at - head)
            break; /* LLVM refuses it */
        at += head + length;
    }
    return count;
}

static void count_section(const tci_elf_section *section, uint64_t counts[COUNTED])
{
    counts[SECTIONS]++;
    if (section->type == SHT_SYMTAB)
        counts[SYMBOLS] += section->size / sizeof(Elf64_Sym);
    else if (section->type == SHT_RELA)
        counts[RELOCATIONS] += section->size / sizeof(Elf64_Rela);
    else if (strcmp(section->name, ".eh_frame") == 0)
        counts[UNWIND_RECORDS] += count_records(section);
}

/* As module_check.h does it for variables: here for sections that assembly fills. */
static bool holds_constructors(const tci_elf_section *section)
{
    static const char *const names[] = {".init_array", ".fini_array", ".preinit_array",
                                        ".ctors", ".dtors"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(section->name, names[i], strlen(names[i])) == 0)
            return section->size > 0;
    }
    return (section->type == SHT_INIT_ARRAY || section->type == SHT_FINI_ARRAY ||
            section->type == SHT_PREINIT_ARRAY) &&
           section->size > 0;
}

static tc_status check_section(const tci_elf_section *section, tc_error *err)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (holds_constructors(section))
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "section %s registers a constructor or destructor, which would "
                             "never run",
                             section->name);
    if ((section->flags & SHF_ALLOC) != 0 && section->alignment > page)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "section %s is aligned to %llu bytes, expected a page's %llu at "
                             "most",
                             section->name, (unsigned long long)section->alignment,
                             (unsigned long long)page);
    return TC_OK;
}

static tc_status check_counts(const uint64_t counts[COUNTED], tc_error *err)
{
    for (int i = 0; i < COUNTED; i++) {
        if (counts[i] > bounds[i].max)
            return tci_error_set(err, TC_E_TOO_LARGE,
                                 "compiled code with %llu %s, expected at most %llu",
                                 (unsigned long long)counts[i], bounds[i].what,
                                 (unsigned long long)bounds[i].max);
    }
    return TC_OK;
}

/* Estimates the memory for linking. The object counts twice: the linker has a copy. */
static uint64_t work_bytes(const tci_elf_object *object, const uint64_t counts[COUNTED])
{
    uint64_t sum = 2 * (uint64_t)object->size;
    for (int i = 0; i < COUNTED; i++)
        sum += counts[i] * bounds[i].bytes * (i == UNWIND_RECORDS ? counts[i] : 1);
    return sum;
}

static tc_status check_memory(const tci_elf_object *object, uint64_t work, uint64_t max,
                              tc_error *err)
{
    uint64_t memory = tci_elf_object_memory(object);
    if (max == 0)
        return TC_OK;
    if (memory > max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "code and data take %llu bytes, option code_memory_max is %llu",
                             (unsigned long long)memory, (unsigned long long)max);
    if (work > WORK_FREE_BYTES && work > max - memory)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "linking code and data of %llu bytes takes %llu more, option "
                             "code_memory_max is %llu",
                             (unsigned long long)memory, (unsigned long long)work,
                             (unsigned long long)max);
    return TC_OK;
}

tc_status tci_object_bounds_check(const tci_elf_object *object, uint64_t memory_max,
                                  tc_error *err)
{
    uint64_t counts[COUNTED] = {0};
    tci_elf_section section;
    if (object->count == 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "compiled code is no object of 1 to 65279 sections");
    for (size_t i = 0; tci_elf_object_section(object, i, &section); i++) {
        TC_TRY(check_section(&section, err));
        count_section(&section, counts);
    }
    TC_TRY(check_counts(counts, err));
    return check_memory(object, work_bytes(object, counts), memory_max, err);
}
