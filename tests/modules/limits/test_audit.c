/* Lines of an audit: for every value a line stays one line; and a file that cannot be written
 * to blocks no caller. */
#include "../../support/test.h"
#include "modules/limits/audit_file.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tc/log.h>
#include <unistd.h>

static char folder[] = "/tmp/tc-test-XXXXXX", path[64], old[64];
static char content[1 << 16];

static int set_up(void **state)
{
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/audit", folder);
    (void)snprintf(old, sizeof old, "%s/old", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)unlink(path);
    (void)unlink(old);
    return rmdir(folder);
}

static const char *read_all(const char *name)
{
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    content[fread(content, 1, sizeof content - 1, f)] = '\0';
    fclose(f);
    return content;
}

static unsigned count(const char *text, const char *part)
{
    unsigned found = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        found++;
    return found;
}

static tci_audit_file *open_file(void)
{
    tci_audit_file *file = NULL;
    tc_error err = {0};
    if (tci_audit_file_open(path, &file, &err) != TC_OK)
        fail_msg("%s", err.text);
    return file;
}

static void write_event(tci_audit_file *file, const char *value)
{
    tci_audit_line line;
    tci_audit_line_begin(&line, "test");
    tci_audit_line_text(&line, "value", value);
    tci_audit_line_number(&line, "number", UINT64_MAX);
    tci_audit_file_write(file, &line);
}

TEST(a_value_ends_neither_itself_nor_the_line)
{
    tci_audit_line line;
    tci_audit_line_begin(&line, "test");
    assert_int_equal(strncmp(line.text, "{\"time\":\"20", 11), 0);
    const size_t before = line.used;
    tci_audit_line_text(&line, "v", "a\"}\n{\"b\\\x1b\x7f\xc3\xa4");
    tci_audit_line_end(&line);
    line.text[line.used] = '\0';
    assert_string_equal(line.text + before,
                        ",\"v\":\"a\\\"}\\u000a{\\\"b\\\\\\u001b\\u007f\\u00c3\\u00a4\"}\n");
}

TEST(what_has_no_room_is_cut_off)
{
    static char much[3 * TCI_AUDIT_LINE_MAX];
    tci_audit_line line;
    memset(much, '\n', sizeof much - 1);
    for (size_t shift = 0; shift < 12; shift++) {
        tci_audit_line_begin(&line, "test");
        tci_audit_line_text(&line, "v", &"xxxxxxxxxxxx"[shift]);
        tci_audit_line_text(&line, "w", much);
        tci_audit_line_text(&line, "none", "more");
        tci_audit_line_number(&line, "none", 1);
        tci_audit_line_end(&line);
        assert_in_range(line.used, TCI_AUDIT_LINE_MAX - 20, TCI_AUDIT_LINE_MAX);
        assert_memory_equal(line.text + line.used - 9, "\\u000a\"}\n", 9);
        assert_null(memmem(line.text, line.used, "none", 4));
    }
}

TEST(lines_are_added_to_a_private_file)
{
    struct stat found;
    (void)unlink(path);
    for (int i = 0; i < 2; i++) {
        tci_audit_file *file = open_file();
        write_event(file, "one");
        tci_audit_file_close(file);
    }
    assert_int_equal(
        count(read_all(path), "\"value\":\"one\",\"number\":18446744073709551615}\n"), 2);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0600);
}

static void expect_not_opened(const char *part)
{
    tci_audit_file *file = NULL;
    tc_error err = {0};
    assert_status(tci_audit_file_open(path, &file, &err), TC_E_INVALID);
    assert_null(file);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, err.text);
}

TEST(other_files_are_refused)
{
    (void)unlink(path);
    assert_int_equal(symlink("/dev/null", path), 0);
    expect_not_opened("symbolic link");
    assert_int_equal(unlink(path), 0);
    tci_audit_file_close(open_file());
    assert_int_equal(chmod(path, 0644), 0);
    expect_not_opened("mode 0644");
    assert_int_equal(unlink(path), 0);
    tci_audit_file *none;
    assert_ok(tci_audit_file_open("", &none, NULL));
    assert_null(none);
    assert_status(tci_audit_file_open("/no/such/folder/audit", &none, NULL), TC_E_IO);
}

TEST(a_renamed_file_is_left)
{
    (void)unlink(path);
    tci_audit_file *file = open_file();
    write_event(file, "before");
    assert_int_equal(rename(path, old), 0);
    write_event(file, "still");
    assert_ok(tci_audit_file_reopen(file, NULL));
    write_event(file, "after");
    assert_int_equal(count(read_all(old), "\n"), 2);
    assert_int_equal(count(read_all(path), "after"), 1);
    assert_int_equal(chmod(path, 0666), 0);
    assert_status(tci_audit_file_reopen(file, NULL), TC_E_INVALID);
    write_event(file, "after");
    assert_int_equal(count(read_all(path), "after"), 2);
    tci_audit_file_close(file);
}

static unsigned errors_logged;

static void count_errors(void *user, tc_log_level level, const char *line)
{
    (void)user, (void)line;
    errors_logged += level == TC_LOG_ERROR;
}

static void limit_size(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_full_disk_costs_lines_which_are_counted)
{
    skip_if_emulated("the emulator has limits of its own");
    (void)unlink(path);
    (void)signal(SIGXFSZ, SIG_IGN);
    tc_log_set_sink(count_errors, NULL);
    tc_log_set_level(TC_LOG_ERROR);
    tci_audit_file *file = open_file();
    write_event(file, "first");
    limit_size((rlim_t)strlen(read_all(path)) + 20); /* the next one in part */
    for (int i = 0; i < 5; i++)
        write_event(file, "lost");
    limit_size(RLIM_INFINITY);
    write_event(file, "last");
    tci_audit_file_close(file);
    tc_log_set_sink(NULL, NULL);
    tc_log_set_level(TC_LOG_WARN);
    (void)signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(errors_logged, 1);
    (void)read_all(path);
    assert_int_equal(count(content, "\"event\":\"lost\",\"lines\":5}\n"), 1);
    assert_int_equal(count(content, "\n"), 4); /* first, a part, lost, last */
    assert_int_equal(count(content, "last"), 1);
}

int main(void)
{
    return test_run(set_up, tear_down);
}
