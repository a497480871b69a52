/* How the processes of a job learn each other's addresses: the seam between joining a group and
 * whatever started them.
 *
 * A rendezvous is used by one thread, in this order: open, publish, lookup of every rank,
 * close. Every call that waits is told how long. It carries
 * bytes without looking at them, and tells them to nobody but the processes of the job. */
#ifndef TCI_RENDEZVOUS_H
#define TCI_RENDEZVOUS_H

#include "base/patience.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_RENDEZVOUS_ABI 3u
#define TCI_RENDEZVOUS_SYMBOL "tci_rendezvous_module"
#define TCI_RENDEZVOUS_ADDRESS_MAX 512u /* bytes that a member publishes */
#define TCI_RENDEZVOUS_NAME_MAX 256

typedef struct tci_rendezvous tci_rendezvous;

/* What the one who started this process says about it. */
typedef struct tci_rendezvous_self {
    uint32_t rank;
    uint32_t size;  /* > rank */
    uint64_t id;    /* the same for all members, of this job and round alone; not 0 */
    bool all_local; /* every member is on this host */
    /* The job's, the same for all members; no secret, and any characters. */
    char name[TCI_RENDEZVOUS_NAME_MAX];
} tci_rendezvous_self;

typedef struct tci_rendezvous_ops {
    uint32_t abi;     /* TCI_RENDEZVOUS_ABI; checked before anything else is used */
    const char *name; /* "tc-run", for texts */

    /* `round` counts how often this process has opened one: members of the same round meet.
     * TC_E_INVALID (an environment that makes no sense), TC_E_UNREACHABLE, TC_E_REFUSED,
     * TC_E_VERSION, TC_E_UNSUPPORTED, TC_E_TIMEOUT, TC_E_NO_MEMORY, TC_E_IO. */
    tc_status (*open)(uint32_t round, tci_patience *patience, tci_rendezvous **rendezvous_out,
                      tci_rendezvous_self *self_out, tc_error *err);

    /* Once. 1 to TCI_RENDEZVOUS_ADDRESS_MAX bytes, copied. TC_E_IN_USE (another process has
     * this rank), TC_E_PEER_LOST (whoever started this process is gone), and those of open. */
    tc_status (*publish)(tci_rendezvous *rendezvous, const void *address, size_t size,
                         tci_patience *patience, tc_error *err);

    /* What that rank has published; waits for it. With no patience left it still finds
     * what is there. TC_E_TIMEOUT (the text names the rank), TC_E_PEER_LOST (it has ended
     * without publishing), and those of publish. After TC_E_TIMEOUT others may be looked up. */
    tc_status (*lookup)(tci_rendezvous *rendezvous, uint32_t rank, tci_patience *patience,
                        uint8_t address_out[TCI_RENDEZVOUS_ADDRESS_MAX], size_t *size_out,
                        tc_error *err);

    /* Others can still look up what this one has published, as long as this process lives. */
    void (*close)(tci_rendezvous *rendezvous);
} tci_rendezvous_ops;

/* The one that this process's environment speaks of: tc-run's, else PMIx's, whose module is
 * looked for in `module_path` (see base/module_file.h). *ops_out is NULL when there is none.
 * TC_E_UNSUPPORTED, TC_E_VERSION: PMIx started this process, and its module cannot be loaded.
 */
TC_MUST_CHECK tc_status tci_rendezvous_find(const char *module_path,
                                            const tci_rendezvous_ops **ops_out, tc_error *err);

#endif
