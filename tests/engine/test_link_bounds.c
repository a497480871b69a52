/* However little code requests much linking, linking it takes no more memory from the process
 * than code may have. */
#include "../support/process.h"
#include "../support/test.h"

#define CODE_MEMORY_MAX_KB (256l << 10) /* as link_target has it */

typedef struct outcome {
    char status[32];
    long peak_kb;
    char text[PROCESS_LINE_MAX];
} outcome;

static outcome load_elsewhere(const char *file, const char *name, const char *compiler)
{
    outcome o = {{0}, 0, {0}};
    process p = {0};
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s.bc", TEST_BITCODE_DIR, file);
    process_start(&p, (const char *const[]){TEST_LINK_TARGET, path, name, compiler, NULL},
                  NULL);
    const char *line = process_read_line(&p);
    if (sscanf(line, "%31s %ld %[^\n]", o.status, &o.peak_kb, o.text) < 2)
        fail_msg("%s: %s", file, line);
    assert_int_equal(process_wait(&p), 0);
    return o;
}

/* The memory of a function without such requests. */
static long usual_peak_kb(const char *compiler)
{
    outcome o = load_elsewhere("counter", "counter", compiler);
    assert_string_equal(o.status, "TC_OK");
    return o.peak_kb;
}

static void expect_too_large(const char *file, const char *name, const char *compiler,
                             const char *part)
{
    outcome o = load_elsewhere(file, name, compiler);
    if (strcmp(o.status, "TC_E_TOO_LARGE") != 0 || strstr(o.text, part) == NULL)
        fail_msg("%s: %s, expected TC_E_TOO_LARGE and '%s': %s", file, o.status, part, o.text);
    if (!TCI_SANITIZED && o.peak_kb > usual_peak_kb(compiler) + CODE_MEMORY_MAX_KB)
        fail_msg("%s: it took %ld KB", file, o.peak_kb);
}

TEST(data_beyond_the_bound_of_code_is_refused_unseen)
{
    expect_too_large("huge_data", "huge_data", "process", "code_memory_max is 268435456");
    expect_too_large("huge_data", "huge_data", "thread", "code_memory_max is 268435456");
}

TEST(values_of_data_are_not_written_out_without_end)
{
    expect_too_large("huge_value", "huge_value", "thread", "values");
}

TEST(too_many_functions_are_refused)
{
    expect_too_large("functions_100000", "many", "process", "100000 functions");
    expect_too_large("functions_100000", "many", "thread", "100000 functions");
}

/* LLVM's linker takes the square of their number for unwind tables, which these need not
 * have. */
TEST(many_functions_are_linked_in_proportion)
{
    outcome o = load_elsewhere("functions_10000", "many", "process");
    if (strcmp(o.status, "TC_OK") != 0)
        fail_msg("%s: %s", o.status, o.text);
    if (!TCI_SANITIZED && o.peak_kb > usual_peak_kb("process") + CODE_MEMORY_MAX_KB)
        fail_msg("it took %ld KB", o.peak_kb);
}
