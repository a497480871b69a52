/* The programs that the members of a job run. Jobs that tc-run started with several parts have
 * names for them. */
#ifndef TCI_GROUP_PROGRAM_H
#define TCI_GROUP_PROGRAM_H

#include "bootstrap/job_address.h"
#include "bootstrap/rendezvous.h"
#include "bootstrap/run_protocol.h"

typedef struct tci_group_programs {
    char names[TCI_RUN_PROGRAM_MAX][TCI_RENDEZVOUS_PROGRAM_MAX]; /* by number; or empty */
    uint8_t of_rank[];
} tci_group_programs;

/* *programs_out is NULL if this process's program has no name; else it is for free. */
TC_MUST_CHECK tc_status tci_group_program_begin(const tci_rendezvous_self *self,
                                                tci_group_programs **programs_out,
                                                tc_error *err);

/* Notes the program that a member has published. TC_E_CORRUPT: only one of it and this process
 * has one, or another member calls that program by another name. */
TC_MUST_CHECK tc_status tci_group_program_note(tci_group_programs *programs, uint32_t rank,
                                               const tci_job_address *address, tc_error *err);

#endif
