#include "logger.h"

#include "printable.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048

static const char *const level_names[] = {"off", "error", "warn", "info", "debug"};

tc_log_level tci_log_level = TC_LOG_WARN;

static pthread_mutex_t sink_lock = PTHREAD_MUTEX_INITIALIZER;
static tc_log_sink sink_function;
static void *sink_user;

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

/* Before main, so that the first line of any thread already knows its level. */
__attribute__((constructor)) static void read_level_from_environment(void)
{
    const char *text = secure_getenv("TC_LOG_LEVEL");
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

static void write_line(tc_log_level level, const char *fmt, va_list args)
{
    char line[LINE_MAX_BYTES];
    (void)vsnprintf(line, sizeof line, fmt, args);
    tci_printable_text(line, sizeof line); /* the sink is promised one line */

    pthread_mutex_lock(&sink_lock);
    if (sink_function != NULL) {
        sink_function(sink_user, level, line);
    } else {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        fprintf(stderr, "tc[%d] %lld.%06ld %s: %s\n", (int)getpid(), (long long)now.tv_sec,
                now.tv_nsec / 1000, level_names[level], line);
    }
    pthread_mutex_unlock(&sink_lock);
}

void tci_log_line(tc_log_level level, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    write_line(level, fmt, args);
    va_end(args);
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
