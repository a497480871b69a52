/* The log: one line per event, lower case. Nothing is logged on the fast path.
 *
 * It belongs to the process. The level comes from the environment variable TC_LOG_LEVEL (off,
 * error, warn, info, debug; default warn) or from tc_log_set_level. Lines go to stderr unless a
 * sink is set: "tc[PROCESS] 2026-03-01T12:34:56.789Z warn: LINE", with the time in UTC. Where
 * stderr is the stream of a journal (JOURNAL_STREAM of systemd.exec(5)), which adds time and
 * process itself, they are "<4>warn: LINE", with the priority of syslog(3). Any thread may call
 * these functions. */
#ifndef TC_LOG_H
#define TC_LOG_H

#include <tc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tc_log_level {
    TC_LOG_OFF = 0,
    TC_LOG_ERROR = 1,
    TC_LOG_WARN = 2,
    TC_LOG_INFO = 3,
    TC_LOG_DEBUG = 4
} tc_log_level;

/* Receives a line, without its newline, valid during the call. Any thread that uses the library
 * may call the sink, never two at once. It must not call the library. Text that quotes a peer
 * has its control characters replaced. */
typedef void (*tc_log_sink)(void *user, tc_log_level level, const char *line);

/* Sets the most detailed level that is logged. */
TC_API void tc_log_set_level(tc_log_level level);

/* The most detailed level that is logged. */
TC_API tc_log_level tc_log_get_level(void);

/* Sends lines to a sink; NULL restores stderr. */
TC_API void tc_log_set_sink(tc_log_sink sink, void *user);

/* Logs a line of the caller's own, if the level allows it. */
TC_API void tc_log_write(tc_log_level level, const char *fmt, ...) TC_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
