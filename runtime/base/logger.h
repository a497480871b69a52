/* One line of log, from any layer. The check of the level is one load, and the only cost of a
 * line that is off. */
#ifndef TCI_LOGGER_H
#define TCI_LOGGER_H

#include <stdint.h>
#include <tc/log.h>

extern tc_log_level tci_log_level;

#define TC_LOG(level, ...)                                                                     \
    do {                                                                                       \
        if ((level) <= tci_log_level)                                                          \
            tc_log_write((level), __VA_ARGS__);                                                \
    } while (0)

/* Limits the lines that outside parties can cause: LINES_PER_SECOND (logger.c) are written, the
 * others counted and reported. Zero at first; used by one thread. */
typedef struct tci_log_ration {
    uint64_t second;
    unsigned lines;
    unsigned left_out;
} tci_log_ration;

#define TC_LOG_RATIONED(ration, level, ...)                                                    \
    do {                                                                                       \
        if ((level) <= tci_log_level && tci_log_ration_take((ration), (level)))                \
            tc_log_write((level), __VA_ARGS__);                                                \
    } while (0)

/* Returns whether the next line may be written. Logs the number of lines left out in an earlier
 * second. */
int tci_log_ration_take(tci_log_ration *ration, tc_log_level level);
/* Ends the lines: logs the number left out. */
void tci_log_ration_end(tci_log_ration *ration);

/* Writes a line that no level turns off, as of an audit. */
void tci_log_line(tc_log_level level, const char *fmt, ...) TC_PRINTF(2, 3);

/* Parses a level such as "warn". Returns false when the text is no level. */
int tci_log_parse_level(const char *text, tc_log_level *level_out);

#endif
