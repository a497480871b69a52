/* Code for the very CPU uses that CPU's features: a loop of an archive by tc-clang, as it is
 * used, is disassembled. */
#include "engine_fixture.h"

#include "base/triple.h"

#include <unistd.h>

static tci_archive *archive;
static char text[1 << 16];

static int open_all(void **state)
{
    static unsigned char bytes[1 << 16];
    tc_error err = {0};
    FILE *file = fopen(TEST_SAXPY, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_ok(tci_archive_open(bytes, size, &archive, &err));
    return engine_set_up(state);
}

static int close_all(void **state)
{
    tci_archive_close(archive);
    return engine_tear_down(state);
}

/* Instructions and operands of the whole object, one line each. */
static void disassemble(const tci_object *object)
{
    char path[] = "/tmp/test_vector_code_XXXXXX", command[512];
    const char *elf = memmem(object->bytes, object->size, "\177ELF", 4);
    assert_non_null(elf);
    size_t size = object->size - (size_t)(elf - (const char *)object->bytes);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, elf, size), size);
    close(fd);
    snprintf(command, sizeof command, "%s -d --no-show-raw-insn %s", TEST_OBJDUMP, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
    unlink(path);
    assert_non_null(strstr(text, "<saxpy_main>"));
}

static void compile(tci_code_level level)
{
    size_t index;
    tc_error err = {0};
    tci_object object;
    assert_ok(tci_archive_select(archive, tci_triple_host(), &index, &err));
    tci_symbols *symbols = open_symbols("");
    tci_engine_code code = code_of("saxpy", tci_archive_slice_bytes(archive, index),
                                   tci_archive_slice(archive, index)->size, symbols);
    code.level = level;
    assert_ok(ops->compile(engine, &code, &object, &err));
    disassemble(&object);
    free(object.bytes);
    tci_symbols_destroy(symbols);
}

static bool cpu_has_avx(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx");
#else
    return false;
#endif
}

static bool uses_wide_registers(void)
{
    if (strcmp(tci_triple_host(), "aarch64-linux") == 0)
        return strstr(text, ".4s") != NULL || strstr(text, "z0.s") != NULL;
    return strstr(text, "%ymm") != NULL || strstr(text, "%zmm") != NULL;
}

TEST(a_hot_loop_uses_what_the_cpu_has)
{
    if (strcmp(tci_triple_host(), "x86_64-linux") == 0 && !cpu_has_avx()) {
        print_message("this CPU has no AVX\n");
        skip();
    }
    compile(TCI_LEVEL_OPTIMISED);
    if (!uses_wide_registers())
        fail_msg("no vectors of this CPU's width in\n%s", text);
}

/* The first code is to be compiled soon: the sender left the loop as it was written. */
TEST(quick_code_is_not_unrolled)
{
    compile(TCI_LEVEL_BASELINE);
    assert_false(uses_wide_registers());
    assert_null(strstr(text, "mulps"));
}

int main(void)
{
    return test_run(open_all, close_all);
}
