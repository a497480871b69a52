/* One line of log, from any layer. The check of the level is one load, so a line that is off
 * costs nothing. */
#ifndef TCI_LOGGER_H
#define TCI_LOGGER_H

#include <tc/log.h>

extern tc_log_level tci_log_level;

#define TC_LOG(level, ...)                                                                     \
    do {                                                                                       \
        if ((level) <= tci_log_level)                                                          \
            tci_log_line((level), __VA_ARGS__);                                                \
    } while (0)

void tci_log_line(tc_log_level level, const char *fmt, ...) TC_PRINTF(2, 3);

/* Parses "warn"; false when it is no level. */
int tci_log_parse_level(const char *text, tc_log_level *level_out);

#endif
