/* Where the compiler has no process of its own, or not the right one, code is refused, or this
 * process compiles if that was asked for. */
#include "engine_fixture.h"

#include "base/clock.h"
#include "engine/engine_module.h"

#include <signal.h>
#include <sys/resource.h>
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

static void write_right_program(void)
{
    char text[1200];
    (void)snprintf(text, sizeof text, "#!/bin/sh\nexec '%s/tc-compile' \"$@\"\n",
                   TEST_ENGINE_DIR);
    write_program(text, 0700);
}

static tc_status compile_unless(tci_compiler *c, const atomic_bool *cancelled, tc_error *err)
{
    size_t size;
    tci_object object;
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode("counter", &size);
    tci_engine_code code = code_of("counter", bytes, size, symbols);
    code.cancelled = cancelled;
    tc_status status = tci_compiler_compile(c, engine, &code, &object, err);
    if (status == TC_OK)
        free(object.bytes);
    free(bytes);
    tci_symbols_destroy(symbols);
    return status;
}

static tc_status compile_by(tci_compiler *c, tc_error *err)
{
    return compile_unless(c, NULL, err);
}

static tci_compiler *start(uint64_t time_max_ns, bool or_in_thread)
{
    tci_compiler *c;
    const tci_compiler_opts opts = {
        .ops = copied_ops, .time_max_ns = time_max_ns, .or_in_thread = or_in_thread};
    assert_ok(tci_compiler_start(&opts, &c, NULL));
    return c;
}

/* Compiles with the programs in the folder; true: in a process. */
static bool compiles_apart(void)
{
    tc_error err = {0};
    tci_compiler *c = start(60 * TCI_NS_PER_S, true);
    for (int i = 0; i < 2; i++) {
        if (compile_by(c, &err) != TC_OK)
            fail_msg("%s", err.text);
    }
    bool apart = tci_compiler_pid(c) > 0;
    tci_compiler_end(c);
    return apart;
}

/* A context is destroyed meanwhile: that takes less than a start on a busy machine. */
TEST(a_program_that_does_not_get_ready_is_ended_when_its_code_is_cancelled)
{
    static const atomic_bool cancelled = true;
    const uint64_t deadline_ns = tci_deadline_after(30 * TCI_NS_PER_S);
    tc_error err = {0};
    write_program("#!/bin/sh\nexec sleep 60\n", 0700);
    tci_compiler *c = start(60 * TCI_NS_PER_S, false);
    assert_status(compile_unless(c, &cancelled, &err), TC_E_CLOSED);
    assert_non_null(strstr(err.text, "nobody waits for it any more"));
    assert_true(tci_deadline_left_ns(deadline_ns) > 0);
    assert_int_equal(tci_compiler_pid(c), -1);
    write_right_program();
    assert_ok(compile_by(c, &err));
    tci_compiler_end(c);
}

static const char *const wrong_programs[] = {
    "no program at all",                                  /* ENOEXEC */
    "#!/nowhere/to/be/found\n",                           /* ENOENT */
    "#!/bin/sh\nexit 127\n",                              /* as emulators do */
    "#!/bin/sh\necho it will not work >&2\nexit 3\n",     /* ends early */
    "#!/bin/sh\nprintf 'no message of a compiler' >&3\n", /* nonsense */
    "#!/bin/sh\nprintf 'TCC\\001\\004\\0\\0\\0\\377\\0\\0\\0' >&3\nsleep 9\n", /* protocol
                                                                                  255 */
};
#define WRONG_PROGRAMS (sizeof wrong_programs / sizeof wrong_programs[0])

TEST(this_process_compiles_if_that_was_asked_for)
{
    for (size_t i = 0; i < WRONG_PROGRAMS; i++) {
        write_program(wrong_programs[i], 0700);
        assert_false(compiles_apart());
    }
    write_program(wrong_programs[0], 0600); /* may not be started */
    assert_false(compiles_apart());
}

static void expect_no_process_for(tci_compiler *c, const char *why)
{
    tc_error err = {0};
    assert_status(compile_by(c, &err), TC_E_NO_MEMORY);
    if (strstr(err.text, "no process to compile in") == NULL || strstr(err.text, why) == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(tci_compiler_pid(c), -1);
}

static void expect_no_process(tci_compiler *c)
{
    expect_no_process_for(c, "");
}

TEST(without_the_right_program_code_is_refused_until_it_is_there)
{
    for (size_t i = 0; i < WRONG_PROGRAMS; i++) {
        write_program(wrong_programs[i], i == 0 ? 0600 : 0700);
        tci_compiler *c = start(60 * TCI_NS_PER_S, false);
        expect_no_process(c);
        expect_no_process(c);
        write_right_program();
        tc_error err = {0};
        if (compile_by(c, &err) != TC_OK)
            fail_msg("%s", err.text);
        assert_true(tci_compiler_pid(c) > 0);
        tci_compiler_end(c);
    }
}

/* Such an exit status alone does not explain the failure at the sender. */
TEST(an_emulator_is_named)
{
    write_program("#!/bin/sh\nexit 127\n", 0700);
    tci_compiler *c = start(60 * TCI_NS_PER_S, false);
    expect_no_process_for(c, "had: the compiler cannot be run here, as in an emulator");
    tci_compiler_end(c);
}

TEST(a_program_that_does_not_get_ready_is_waited_for_in_bounds)
{
    write_program("#!/bin/sh\nexec sleep 600\n", 0700);
    uint64_t begun_ns = tci_clock_ns();
    tci_compiler *c = start(100 * TCI_NS_PER_MS, false);
    expect_no_process(c);
    tci_compiler_end(c);
    assert_true(tci_clock_ns() - begun_ns < 30 * TCI_NS_PER_S); /* not a minute */
}

/* Effects that a peer can cause by connecting often. */
TEST(without_descriptors_code_is_refused_until_there_are)
{
    struct rlimit old, low;
    write_right_program();
    tci_compiler *c = start(60 * TCI_NS_PER_S, false);
    tc_error err = {0};
    assert_ok(compile_by(c, &err));
    assert_int_equal(kill(tci_compiler_pid(c), SIGKILL), 0);
    size_t size;
    tci_object object;
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode("counter", &size);
    const tci_engine_code code = code_of("counter", bytes, size, symbols);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    low = old;
    low.rlim_cur = 4;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    tc_status status = tci_compiler_compile(c, engine, &code, &object, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_status(status, TC_E_NO_MEMORY);
    assert_ok(tci_compiler_compile(c, engine, &code, &object, &err));
    assert_true(tci_compiler_pid(c) > 0);
    free(object.bytes);
    free(bytes);
    tci_symbols_destroy(symbols);
    tci_compiler_end(c);
}

TEST(the_programs_folder_is_the_modules)
{
    write_right_program();
    assert_true(compiles_apart());
}

TEST(a_thread_may_be_asked_for)
{
    tci_compiler *c;
    const tci_compiler_opts opts = {.ops = ops, .in_thread = true};
    assert_ok(tci_compiler_start(&opts, &c, NULL));
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
    return test_run(set_up, tear_down);
}
