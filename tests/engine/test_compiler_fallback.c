/* Where the compiler has no process of its own, or not the right one, this process compiles. */
#include "engine_fixture.h"

#include "base/clock.h"
#include "engine/engine_module.h"

#include <sys/stat.h>
#include <unistd.h>

/* A copy of the module in a folder of its own, where no program is beside it. */
static char folder[] = "/tmp/tc-test-compiler-XXXXXX";
static const tci_engine_ops *copied_ops;

static void copy_module(void)
{
    char from[1024], to[1024];
    static char bytes[64 << 20];
    (void)snprintf(from, sizeof from, "%s/libtchains-orc.so", TEST_ENGINE_DIR);
    (void)snprintf(to, sizeof to, "%s/libtchains-orc.so", folder);
    FILE *source = fopen(from, "rb"), *copy = fopen(to, "wb");
    assert_non_null(source);
    assert_non_null(copy);
    size_t size = fread(bytes, 1, sizeof bytes, source);
    assert_true(size > 0 && size < sizeof bytes);
    assert_int_equal(fwrite(bytes, 1, size, copy), size);
    assert_int_equal(fclose(source), 0);
    assert_int_equal(fclose(copy), 0);
}

static void write_program(const char *text, mode_t mode)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/tc-compile", folder);
    (void)unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

/* Compiles with what is in the folder; true: in a process. */
static bool compiles_apart(void)
{
    size_t size;
    tci_compiler *c;
    tci_object object;
    tc_error err = {0};
    const tci_compiler_opts opts = {.ops = copied_ops, .time_max_ns = 60 * TCI_NS_PER_S};
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode("counter", &size);
    const tci_engine_code code = code_of("counter", bytes, size, symbols);
    assert_int_equal(tci_compiler_start(&opts, &c, &err), TC_OK);
    for (int i = 0; i < 2; i++) {
        if (tci_compiler_compile(c, engine, &code, &object, &err) != TC_OK)
            fail_msg("%s", err.text);
        free(object.bytes);
    }
    bool apart = tci_compiler_pid(c) > 0;
    tci_compiler_end(c);
    free(bytes);
    tci_symbols_destroy(symbols);
    return apart;
}

static void without_the_right_program_this_process_compiles(void **state)
{
    static const char *const programs[] = {
        "no program at all",                                  /* ENOEXEC */
        "#!/nowhere/to/be/found\n",                           /* ENOENT */
        "#!/bin/sh\nexit 127\n",                              /* what emulators do */
        "#!/bin/sh\necho it will not work >&2\nexit 3\n",     /* ends early */
        "#!/bin/sh\nprintf 'no message of a compiler' >&3\n", /* nonsense */
        "#!/bin/sh\nprintf 'TCC\\001\\004\\0\\0\\0\\377\\0\\0\\0' >&3\nsleep 9\n", /* protocol
                                                                                      255 */
    };
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        write_program(programs[i], 0700);
        assert_false(compiles_apart());
    }
    write_program(programs[0], 0600); /* may not be started */
    (void)compiles_apart();           /* perhaps one is installed */
}

static void the_programs_folder_is_the_modules(void **state)
{
    char text[1200];
    (void)snprintf(text, sizeof text, "#!/bin/sh\nexec '%s/tc-compile' \"$@\"\n",
                   TEST_ENGINE_DIR);
    write_program(text, 0700);
    assert_true(compiles_apart());
}

static void a_thread_may_be_asked_for(void **state)
{
    tci_compiler *c;
    const tci_compiler_opts opts = {.ops = ops, .in_thread = true};
    assert_int_equal(tci_compiler_start(&opts, &c, NULL), TC_OK);
    assert_int_equal(tci_compiler_pid(c), -1);
    tci_compiler_end(c);
}

static int set_up(void **state)
{
    tc_error err;
    if (mkdtemp(folder) == NULL)
        return -1;
    copy_module();
    if (tci_engine_module_open(folder, &copied_ops, &err) != TC_OK)
        return -1;
    return engine_set_up(state);
}

static int tear_down(void **state)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return engine_tear_down(state) != 0 || system(command) != 0 ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_right_program_this_process_compiles),
        cmocka_unit_test(the_programs_folder_is_the_modules),
        cmocka_unit_test(a_thread_may_be_asked_for),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
