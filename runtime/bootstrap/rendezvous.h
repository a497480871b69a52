/* Exchanges addresses between the processes of a job: the interface between joining a group and
 * the launcher that started the processes.
 *
 * A rendezvous is used by one thread, in this order: open, publish, lookup of every rank,
 * perhaps watch and next_end, close. Every call that waits is given a time limit. The bytes are
 * not interpreted, and go to no other process than those of the job. */
#ifndef TCI_RENDEZVOUS_H
#define TCI_RENDEZVOUS_H

#include "base/patience.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_RENDEZVOUS_ABI 5u
#define TCI_RENDEZVOUS_SYMBOL "tci_rendezvous_module"
#define TCI_RENDEZVOUS_ADDRESS_MAX 512u /* bytes that a member publishes */
#define TCI_RENDEZVOUS_NAME_MAX 256
#define TCI_RENDEZVOUS_PROGRAM_MAX 64 /* of a program's name, with terminator */

typedef struct tci_rendezvous tci_rendezvous;

/* The launcher's description of this process. */
typedef struct tci_rendezvous_self {
    uint32_t rank;
    uint32_t size;  /* > rank */
    uint64_t id;    /* the same for all members, only of this job and round; not 0 */
    bool all_local; /* every member is on this host */
    /* The job's name, the same for all members; not secret, of any characters. */
    char name[TCI_RENDEZVOUS_NAME_MAX];
    /* Which of the job's programs this process runs: tci_run_name_is_sound. Empty: the programs
     * of the job have no names, and the number is 0. */
    char program_name[TCI_RENDEZVOUS_PROGRAM_MAX];
    uint32_t program; /* below TCI_RUN_PROGRAM_MAX */
} tci_rendezvous_self;

typedef struct tci_rendezvous_ops {
    uint32_t abi;     /* TCI_RENDEZVOUS_ABI; checked before anything else is used */
    const char *name; /* "tc-run", for texts */

    /* `round` counts how often this process has opened one: members of the same round meet.
     * TC_E_INVALID (the environment is contradictory), TC_E_UNREACHABLE, TC_E_REFUSED,
     * TC_E_VERSION, TC_E_UNSUPPORTED, TC_E_TIMEOUT, TC_E_NO_MEMORY, TC_E_IO. */
    tc_status (*open)(uint32_t round, tci_patience *patience, tci_rendezvous **rendezvous_out,
                      tci_rendezvous_self *self_out, tc_error *err);

    /* Publishes 1 to TCI_RENDEZVOUS_ADDRESS_MAX bytes, copied; called once. TC_E_IN_USE
     * (another process has this rank), TC_E_PEER_LOST (the launcher is gone), and those of
     * open. */
    tc_status (*publish)(tci_rendezvous *rendezvous, const void *address, size_t size,
                         tci_patience *patience, tc_error *err);

    /* Returns the bytes that the rank has published; waits for them. With no patience left it
     * still finds bytes already published. TC_E_TIMEOUT (the text names the rank),
     * TC_E_PEER_LOST (it has ended without publishing), and those of publish. After
     * TC_E_TIMEOUT others may be looked up. */
    tc_status (*lookup)(tci_rendezvous *rendezvous, uint32_t rank, tci_patience *patience,
                        uint8_t address_out[TCI_RENDEZVOUS_ADDRESS_MAX], size_t *size_out,
                        tc_error *err);

    /* Others can still look up the bytes that this process has published, while it lives. */
    void (*close)(tci_rendezvous *rendezvous);

    /* Asks for news of members that have ended or end. *fd_out is readable when there is some.
     * Statuses of publish. NULL: the launcher has no news. */
    tc_status (*watch)(tci_rendezvous *rendezvous, tci_patience *patience, int *fd_out,
                       tc_error *err);

    /* Returns the next member that has ended, and in *why_out TC_E_PEER_LOST and a text.
     * TC_E_AGAIN: there is no news now. TC_E_PEER_LOST: no more will come. */
    tc_status (*next_end)(tci_rendezvous *rendezvous, uint32_t *rank_out, tc_error *why_out);
} tci_rendezvous_ops;

/* Finds the rendezvous that this process's environment names: tc-run's, else PMIx's, with the
 * module searched in `module_path` (see base/module_file.h). *ops_out is NULL if there is none.
 * TC_E_UNSUPPORTED, TC_E_VERSION: PMIx started this process, and its module cannot be
 * loaded. */
TC_MUST_CHECK tc_status tci_rendezvous_find(const char *module_path,
                                            const tci_rendezvous_ops **ops_out, tc_error *err);

#endif
