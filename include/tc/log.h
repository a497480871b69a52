/* Logging. One line, lower case, logged where the error is decided. Never on the fast path.
 *
 * The level comes from TC_LOG_LEVEL (off, error, warn, info, debug; default warn) or
 * tc_log_set_level. Text goes to stderr unless a sink is set. Process-wide; any thread. */
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

/* `line` is one line without its newline, valid during the call. The sink may be called by any
 * thread that uses the library, but never by two at once; it must not call the library. */
typedef void (*tc_log_sink)(void *user, tc_log_level level, const char *line);

TC_API void tc_log_set_level(tc_log_level level);
TC_API tc_log_level tc_log_get_level(void);

/* NULL restores stderr. */
TC_API void tc_log_set_sink(tc_log_sink sink, void *user);

/* A line of the caller's own, if the level lets it through. Any thread. */
TC_API void tc_log_write(tc_log_level level, const char *fmt, ...) TC_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
