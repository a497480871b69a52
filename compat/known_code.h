/* The code that this process has, by content: registered by it, or received. Shared by all of
 * its UCX contexts.
 *
 * Code is never removed, because other processes were notified that it is here (ifunc_frame.h,
 * KNOWN). A limit on the number of functions keeps this bounded. */
#ifndef TCI_KNOWN_CODE_H
#define TCI_KNOWN_CODE_H

#include "ifunc_frame.h"

#include <tc/loader.h>
#include <ucp/api/ucp.h>

#define TCI_KNOWN_CODE_MAX 65535u
#define TCI_STACK_PAYLOAD_MAX 4096u /* a multiple of 16 */
#define TCI_STACK_PAYLOAD_ALIGNMENT 64u

typedef struct tci_known_code {
    struct tci_known_code *next;
    uint8_t id[TCI_IFUNC_ID_BYTES];
    tci_code_kind kind;
    tc_entry_points entries;
    uint8_t *section; /* as it travels */
    uint32_t section_size;
    uint32_t number;            /* counts the functions known here, from 0 */
    uint64_t check;             /* of the section (ifunc_frame.h) */
    uint32_t payload_alignment; /* requested by the function, bytes */
    uint32_t stack_limit;       /* smaller payloads run on the stack of the polling thread */
} tci_known_code;

/* Returns NULL if it is not here. For any thread, without a lock. */
const tci_known_code *tci_known_code_find(const uint8_t id[TCI_IFUNC_ID_BYTES]);

/* Makes a function callable: from a code section that came with its id, which is checked. The
 * log has the reason of a failure. For any thread, as all functions below. */
ucs_status_t tci_known_code_add(tci_code_kind kind, const uint8_t id[TCI_IFUNC_ID_BYTES],
                                const uint8_t *section, size_t size,
                                const tci_known_code **code_out);

/* The same for code that this process provides itself. `deps` may be NULL. */
ucs_status_t tci_known_code_add_archive(const void *archive, size_t archive_size,
                                        const char *deps, size_t deps_size,
                                        const tci_known_code **code_out);
ucs_status_t tci_known_code_add_bitcode(const char *name, const tc_bitcode *slices,
                                        size_t count, const char *deps, size_t deps_size,
                                        const tci_known_code **code_out);
ucs_status_t tci_known_code_add_library(const char *name, const void *bytes, size_t size,
                                        const tci_known_code **code_out);

#endif
