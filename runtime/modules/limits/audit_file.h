/* The destination of audit events, one line each: a file of mode 0600 that only grows, or the
 * log.
 *
 * It never ends or delays its caller. A line that cannot be written is lost and counted. The
 * log reports the first loss, and the next line that can be written reports the number of lost
 * lines. Used by one thread. */
#ifndef TCI_AUDIT_FILE_H
#define TCI_AUDIT_FILE_H

#include "modules/limits/audit_line.h"

#include <tc/status.h>

typedef struct tci_audit_file tci_audit_file;

/* Opens the destination that the option `audit` names: a path, "log", or "" for no destination,
 * which gives NULL. The file is created, or must be a regular one of this user's, closed to all
 * others, and no link: else TC_E_INVALID. TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_audit_file_open(const char *option, tci_audit_file **file_out,
                                            tc_error *err);
/* NULL is allowed. */
void tci_audit_file_close(tci_audit_file *file);

/* Opens the path again, after the file was renamed, and continues with the new file. On failure
 * continues with the open one. Statuses as above. */
TC_MUST_CHECK tc_status tci_audit_file_reopen(tci_audit_file *file, tc_error *err);

/* Ends the line and writes it. */
void tci_audit_file_write(tci_audit_file *file, tci_audit_line *line);

#endif
