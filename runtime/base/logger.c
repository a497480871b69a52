/* Formats log lines, and writes them to the program's sink or to standard error. */
#include "logger.h"

#include "clock.h"
#include "printable.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048
#define STREAM_BYTES 48u
#define SYSLOG_ERR 3 /* a priority; 4: warning, 6: info, 7: debug */
#define LINES_PER_SECOND 10u

static const char *const level_names[] = {"off", "error", "warn", "info", "debug"};

tc_log_level tci_log_level = TC_LOG_WARN;

static pthread_mutex_t sink_lock = PTHREAD_MUTEX_INITIALIZER;
static tc_log_sink sink_function;
static void *sink_user;
#ifndef TCI_NO_JOURNAL
static const char *journal_stream; /* device and inode, "8:1234"; NULL: no journal */
#endif

int tci_log_parse_level(const char *text, tc_log_level *level_out)
{
    for (size_t i = 0; i < sizeof level_names / sizeof level_names[0]; i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *level_out = (tc_log_level)i;
            return 1;
        }
    }
    return 0;
}

/* Runs before main, so that the first line of any thread already has the right level. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *text = secure_getenv("TC_LOG_LEVEL");
#ifndef TCI_NO_JOURNAL
    journal_stream = secure_getenv("JOURNAL_STREAM");
#endif
    if (text != NULL && !tci_log_parse_level(text, &tci_log_level))
        fprintf(stderr, "tc: warn: TC_LOG_LEVEL=%s: expected off, error, warn, info or debug\n",
                text);
}

void tc_log_set_level(tc_log_level level)
{
    tci_log_level = level;
}

tc_log_level tc_log_get_level(void)
{
    return tci_log_level;
}

void tc_log_set_sink(tc_log_sink sink, void *user)
{
    pthread_mutex_lock(&sink_lock);
    sink_function = sink;
    sink_user = user;
    pthread_mutex_unlock(&sink_lock);
}

#ifdef TCI_NO_JOURNAL
#define is_journal() false
#else
/* Returns whether standard error leads to a journal (systemd.exec(5), JOURNAL_STREAM). The
 * variable stays when the program or its parent has sent standard error elsewhere. */
static bool is_journal(void)
{
    char text[STREAM_BYTES];
    struct stat found;
    if (journal_stream == NULL || fstat(STDERR_FILENO, &found) != 0)
        return false;
    (void)snprintf(text, sizeof text, "%ju:%ju", (uintmax_t)found.st_dev,
                   (uintmax_t)found.st_ino);
    return strcmp(text, journal_stream) == 0;
}
#endif

/* Writes a line as a journal reads it, with the priority of syslog(3) and without the time and
 * process that the journal adds; for others with the time in UTC, as ISO 8601 has it. */
static void print_line(tc_log_level level, const char *line)
{
    struct timespec now;
    struct tm utc;
    if (is_journal()) {
        fprintf(stderr, "<%d>%s: %s\n", SYSLOG_ERR - 1 + (int)level + (level > TC_LOG_WARN),
                level_names[level], line);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    fprintf(stderr, "tc[%d] %04d-%02d-%02dT%02d:%02d:%02d.%03dZ %s: %s\n", (int)getpid(),
            utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
            utc.tm_sec, (int)now.tv_nsec / 1000000, level_names[level], line);
}

static void write_line(tc_log_level level, const char *fmt, va_list args)
{
    char line[LINE_MAX_BYTES];
    (void)vsnprintf(line, sizeof line, fmt, args);
    tci_printable_text(line, sizeof line); /* the sink is promised one line */

    pthread_mutex_lock(&sink_lock);
    if (sink_function != NULL)
        sink_function(sink_user, level, line);
    else
        print_line(level, line);
    pthread_mutex_unlock(&sink_lock);
}

void tci_log_line(tc_log_level level, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    write_line(level, fmt, args);
    va_end(args);
}

static void say_left_out(tci_log_ration *ration, tc_log_level level)
{
    if (ration->left_out > 0)
        tc_log_write(level, "%u lines like this were left out", ration->left_out);
    ration->left_out = 0;
}

int tci_log_ration_take(tci_log_ration *ration, tc_log_level level)
{
    const uint64_t second = tci_clock_ns() / TCI_NS_PER_S;
    if (second != ration->second) {
        ration->second = second;
        ration->lines = 0;
        say_left_out(ration, level);
    }
    if (ration->lines < LINES_PER_SECOND) {
        ration->lines++;
        return 1;
    }
    ration->left_out++;
    return 0;
}

void tci_log_ration_end(tci_log_ration *ration)
{
    say_left_out(ration, TC_LOG_WARN);
}

void tc_log_write(tc_log_level level, const char *fmt, ...)
{
    if (level < TC_LOG_ERROR || level > TC_LOG_DEBUG || level > tci_log_level)
        return;
    va_list args;
    va_start(args, fmt);
    write_line(level, fmt, args);
    va_end(args);
}
