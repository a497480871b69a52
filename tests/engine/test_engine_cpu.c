/* Code is made for the processor that it runs on: with the features that it has, and without
 * those that it lacks. The arguments say what the instructions must contain, "+ldadd", and must
 * not, "-ymm"; the processor is the one that qemu shows. */
#include "engine_fixture.h"

#include <elf.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#define NUMBERS 1000

static char **wanted;
static char listing[1 << 16];

static LLVMDisasmContextRef open_disassembler(void)
{
#if defined(__aarch64__)
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64Disassembler();
    return LLVMCreateDisasmCPUFeatures("aarch64-linux-gnu", "", "+all", NULL, 0, NULL, NULL);
#else
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    return LLVMCreateDisasm("x86_64-linux-gnu", NULL, 0, NULL, NULL);
#endif
}

static void list_section(LLVMDisasmContextRef context, uint8_t *code, uint64_t size)
{
    char text[256];
    size_t used = strlen(listing), step;
    for (uint64_t at = 0; at < size; at += step) {
        step = LLVMDisasmInstruction(context, code + at, size - at, at, text, sizeof text);
        assert_true(step > 0);
        used += (size_t)snprintf(listing + used, sizeof listing - used, "%s\n", text);
        assert_true(used < sizeof listing);
    }
}

/* The instructions of the ELF file that is in the object's bytes. */
static void list(const tci_object *object)
{
    uint8_t *elf = memmem(object->bytes, object->size, ELFMAG, SELFMAG);
    LLVMDisasmContextRef context = open_disassembler();
    assert_non_null(elf);
    assert_non_null(context);
    const Elf64_Ehdr *header = (const void *)elf;
    const Elf64_Shdr *sections = (const void *)(elf + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_flags & SHF_EXECINSTR)
            list_section(context, elf + sections[i].sh_offset, sections[i].sh_size);
    }
    LLVMDisasmDispose(context);
}

static void check_listing(void)
{
    for (char **w = wanted; *w != NULL; w++) {
        bool there = strstr(listing, *w + 1) != NULL;
        if (there != (**w == '+'))
            fail_msg("%s: cpu %s, features %s\n%s", *w, ops->cpu(engine), ops->features(engine),
                     listing);
    }
}

TEST(code_is_for_this_processor)
{
    size_t size;
    tci_object object;
    tci_loaded *loaded;
    tci_entries entries;
    tc_error err = {0};
    uint32_t numbers[NUMBERS];
    uint64_t sum[2] = {40, 0};
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode("cpu_features", &size);
    tci_engine_code code = code_of("cpu_features", bytes, size, symbols);
    code.level = TCI_LEVEL_OPTIMISED;
    if (ops->compile(engine, &code, &object, &err) != TC_OK ||
        ops->link(engine, &code, object.bytes, object.size, NULL, &loaded, &entries, &err) !=
            TC_OK)
        fail_msg("%s", err.text);
    list(&object);
    for (uint32_t i = 0; i < NUMBERS; i++)
        numbers[i] = i;
    entries.main(numbers, 2, sum);
    assert_int_equal(sum[0], 42);
    assert_int_equal(sum[1], 40);
    for (uint32_t i = 0; i < NUMBERS; i++)
        assert_int_equal(numbers[i], i + 1);
    check_listing();
    ops->unload(engine, loaded);
    free(object.bytes);
    free(bytes);
    tci_symbols_destroy(symbols);
}

int main(int argc, char **argv)
{
    (void)argc;
    wanted = argv + 1;
    return test_run(engine_set_up, engine_tear_down);
}
