/* One line of log, from any layer. The check of the level is one load, so a line that is off
 * costs nothing. */
#ifndef TCI_LOGGER_H
#define TCI_LOGGER_H

#include <stdint.h>
#include <tc/log.h>

extern tc_log_level tci_log_level;

#define TC_LOG(level, ...)                                                                     \
    do {                                                                                       \
        if ((level) <= tci_log_level)                                                          \
            tci_log_line((level), __VA_ARGS__);                                                \
    } while (0)

/* Of lines that somebody outside can cause: so many in a second, and then how many were left
 * out. Zero at first; of one thread. */
typedef struct tci_log_ration {
    uint64_t second;
    unsigned lines;
    unsigned left_out;
} tci_log_ration;

#define TC_LOG_RATIONED(ration, level, ...)                                                    \
    do {                                                                                       \
        if ((level) <= tci_log_level && tci_log_ration_take((ration), (level)))                \
            tci_log_line((level), __VA_ARGS__);                                                \
    } while (0)

/* Whether the next line may be written; says how many were not. */
int tci_log_ration_take(tci_log_ration *ration, tc_log_level level);
/* There will be no more lines. */
void tci_log_ration_end(tci_log_ration *ration);

void tci_log_line(tc_log_level level, const char *fmt, ...) TC_PRINTF(2, 3);

/* Parses "warn"; false when it is no level. */
int tci_log_parse_level(const char *text, tc_log_level *level_out);

#endif
