#include "../support/test.h"
#include "base/logger.h"

#include <regex.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *own_path; /* the argument: the command that starts this program */

typedef struct seen_lines {
    unsigned count;
    tc_log_level level;
    char line[4096];
} seen_lines;

static void remember_line(void *user, tc_log_level level, const char *line)
{
    seen_lines *seen = user;
    seen->count++;
    seen->level = level;
    (void)snprintf(seen->line, sizeof seen->line, "%s", line);
}

static int restore_logger(void **state)
{
    tc_log_set_sink(NULL, NULL);
    tc_log_set_level(TC_LOG_WARN);
    return 0;
}

TEST_WITH(the_sink_gets_level_and_line, NULL, restore_logger)
{
    seen_lines seen = {0};
    tc_log_set_sink(remember_line, &seen);
    TC_LOG(TC_LOG_ERROR, "peer %d: %s", 7, "lost");
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.level, TC_LOG_ERROR);
    assert_string_equal(seen.line, "peer 7: lost");
}

TEST_WITH(lines_that_many_cause_are_rationed, NULL, restore_logger)
{
    seen_lines seen = {0};
    tci_log_ration ration = {0}, other = {0};
    tc_log_set_sink(remember_line, &seen);
    for (int i = 0; i < 5000; i++)
        TC_LOG_RATIONED(&ration, TC_LOG_WARN, "refused %d", i);
    assert_in_range(seen.count, 10, 100); /* of however many seconds that took */
    const unsigned before = seen.count;
    TC_LOG_RATIONED(&other, TC_LOG_WARN, "somebody else");
    assert_int_equal(seen.count, before + 1);
    TC_LOG_RATIONED(&ration, TC_LOG_DEBUG, "%d", 1);
    const unsigned left_out = ration.left_out;
    assert_true(left_out > 0);
    ration.second--; /* the second is over */
    TC_LOG_RATIONED(&ration, TC_LOG_WARN, "the next");
    assert_int_equal(seen.count, before + 3);
    assert_int_equal(ration.left_out, 0);
    for (int i = 0; i < 100; i++)
        TC_LOG_RATIONED(&ration, TC_LOG_WARN, "again");
    tci_log_ration_end(&ration);
    assert_non_null(strstr(seen.line, "lines like this were left out"));
    tci_log_ration_end(&other);
    assert_non_null(strstr(seen.line, "lines like this were left out"));
}

static int evaluations;

static int count_evaluation(void)
{
    return ++evaluations;
}

TEST_WITH(a_line_that_is_off_is_not_even_computed, NULL, restore_logger)
{
    seen_lines seen = {0};
    tc_log_set_sink(remember_line, &seen);
    evaluations = 0;
    tc_log_set_level(TC_LOG_WARN);
    TC_LOG(TC_LOG_INFO, "%d", count_evaluation());
    assert_int_equal(evaluations, 0);
    assert_int_equal(seen.count, 0);
    tc_log_set_level(TC_LOG_INFO);
    assert_int_equal(tc_log_get_level(), TC_LOG_INFO);
    TC_LOG(TC_LOG_INFO, "%d", count_evaluation());
    TC_LOG(TC_LOG_DEBUG, "%d", count_evaluation());
    assert_int_equal(evaluations, 1);
    assert_int_equal(seen.count, 1);
    tc_log_set_level(TC_LOG_OFF);
    TC_LOG(TC_LOG_ERROR, "x");
    assert_int_equal(seen.count, 1);
}

TEST_WITH(one_call_is_one_line, NULL, restore_logger)
{
    seen_lines seen = {0};
    char longer[4000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    tc_log_set_sink(remember_line, &seen);
    TC_LOG(TC_LOG_WARN, "%s", longer);
    assert_int_equal(seen.count, 1);
    assert_true(strlen(seen.line) > 1000 && strlen(seen.line) < sizeof longer - 1);
    TC_LOG(TC_LOG_WARN, "name 'a\nb\x1b'");
    assert_string_equal(seen.line, "name 'a?b?'");
}

TEST(levels_are_parsed_by_name)
{
    tc_log_level level = TC_LOG_OFF;
    assert_true(tci_log_parse_level("debug", &level));
    assert_int_equal(level, TC_LOG_DEBUG);
    assert_true(tci_log_parse_level("off", &level));
    assert_int_equal(level, TC_LOG_OFF);
    assert_false(tci_log_parse_level("", &level));
    assert_false(tci_log_parse_level("WARN", &level));
    assert_false(tci_log_parse_level("warning", &level));
}

/* The level that a fresh process starts with: this program again. NULL: no such variable. */
static int level_at_start(const char *value)
{
    char *argv[] = {(char *)(uintptr_t)own_path, "print-level", NULL};
    pid_t child;
    int status;
    if (value == NULL)
        assert_int_equal(unsetenv("TC_LOG_LEVEL"), 0);
    else
        assert_int_equal(setenv("TC_LOG_LEVEL", value, 1), 0);
    assert_int_equal(posix_spawn(&child, own_path, NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(the_environment_sets_the_first_level)
{
    assert_int_equal(level_at_start(NULL), TC_LOG_WARN);
    assert_int_equal(level_at_start("debug"), TC_LOG_DEBUG);
    assert_int_equal(level_at_start("off"), TC_LOG_OFF);
    assert_int_equal(level_at_start("loud"), TC_LOG_WARN);
}

/* --- lines on standard error -------------------------------------------------------------- */

#define LINES_MAX 4096

static int print_all_levels(void)
{
    tc_log_set_level(TC_LOG_DEBUG);
    for (tc_log_level level = TC_LOG_ERROR; level <= TC_LOG_DEBUG; level++)
        TC_LOG(level, "line %d", (int)level);
    return 0;
}

/* The lines of a fresh process. Its JOURNAL_STREAM is the inode of its standard error plus
 * `beside`. */
static void lines_at_start(uint64_t beside, char lines_out[LINES_MAX])
{
    char *argv[] = {(char *)(uintptr_t)own_path, "print-lines", NULL}, variable[64];
    posix_spawn_file_actions_t actions;
    struct stat found;
    FILE *file = tmpfile();
    pid_t child;
    int status;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &found), 0);
    (void)snprintf(variable, sizeof variable, "%ju:%ju", (uintmax_t)found.st_dev,
                   (uintmax_t)(found.st_ino + beside));
    assert_int_equal(setenv("JOURNAL_STREAM", variable, 1), 0);
    assert_int_equal(unsetenv("TC_LOG_LEVEL"), 0);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, fileno(file), STDERR_FILENO),
                     0);
    assert_int_equal(posix_spawn(&child, own_path, &actions, NULL, argv, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    const ssize_t n = pread(fileno(file), lines_out, LINES_MAX - 1, 0);
    assert_true(n >= 0);
    lines_out[n] = '\0';
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)fclose(file);
    (void)unsetenv("JOURNAL_STREAM");
}

#ifndef TCI_NO_JOURNAL
TEST(a_journal_gets_priorities_and_no_time)
{
    char lines[LINES_MAX];
    lines_at_start(0, lines);
    assert_string_equal(lines, "<3>error: line 1\n<4>warn: line 2\n"
                               "<6>info: line 3\n<7>debug: line 4\n");
}
#endif

#define DATE "20[0-9]{2}-[01][0-9]-[0-3][0-9]"
#define TIME "tc\\[[0-9]+\\] " DATE "T[0-9]{2}(:[0-9]{2}){2}\\.[0-9]{3}Z "

/* Where standard error was a journal's once, or never. */
TEST(any_other_stream_gets_the_time_in_utc)
{
    char lines[LINES_MAX];
    regex_t all;
    lines_at_start(1, lines);
    assert_int_equal(regcomp(&all,
                             "^" TIME "error: line 1\n" TIME "warn: line 2\n" TIME
                             "info: line 3\n" TIME "debug: line 4\n$",
                             REG_EXTENDED | REG_NOSUB),
                     0);
    assert_int_equal(regexec(&all, lines, 0, NULL, 0), 0);
    regfree(&all);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "print-lines") == 0)
        return print_all_levels();
    if (strcmp(argv[1], "print-level") == 0)
        return (int)tc_log_get_level();
    own_path = argv[1];
    return test_run(NULL, NULL);
}
