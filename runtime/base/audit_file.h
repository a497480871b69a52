/* Where events are written, a line each: a file of mode 0600 that only grows, or the log.
 *
 * It never ends or holds up anybody. A line that cannot be written is lost and counted; the log
 * says so once, and the next line that can be written is one that says how many were lost. Of one
 * thread. */
#ifndef TCI_AUDIT_FILE_H
#define TCI_AUDIT_FILE_H

#include "base/audit_line.h"

#include <tc/status.h>

typedef struct tci_audit_file tci_audit_file;

/* What the option `audit` says: a path, "log", or "" for none, which gives NULL. The file is made,
 * or is a regular one of this user's that is open to nobody else, and no link: TC_E_INVALID.
 * TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_audit_file_open(const char *option, tci_audit_file **file_out,
                                            tc_error *err);
/* NULL is allowed. */
void tci_audit_file_close(tci_audit_file *file);

/* Goes on with whatever has the path now: after the file was renamed. On failure goes on with the
 * one that is open. Statuses as above. */
TC_MUST_CHECK tc_status tci_audit_file_reopen(tci_audit_file *file, tc_error *err);

/* Ends the line and writes it. */
void tci_audit_file_write(tci_audit_file *file, tci_audit_line *line);

#endif
