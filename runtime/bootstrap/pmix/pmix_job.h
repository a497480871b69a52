/* Asking PMIx for values, with deadlines of this library's kind: PMIx's own are whole seconds,
 * and not every server keeps them. */
#ifndef TCI_PMIX_JOB_H
#define TCI_PMIX_JOB_H

#include "bootstrap/rendezvous.h"

#include <pmix.h>

/* What came: a number, or bytes. */
typedef struct tci_pmix_value {
    uint32_t number;
    size_t size;
    uint8_t bytes[TCI_RENDEZVOUS_ADDRESS_MAX];
} tci_pmix_value;

/* A status of PMIx and its text, behind "PMIx: what". */
tc_status tci_pmix_error(tc_error *err, const char *what, pmix_status_t status);

/* The value of `key` of a process, or with PMIX_RANK_WILDCARD of the job; waits until there is
 * one. TC_E_TIMEOUT, TC_E_CORRUPT (a value of another type, or too large), TC_E_NO_MEMORY, and
 * what tci_pmix_error makes of PMIx's own. */
TC_MUST_CHECK tc_status tci_pmix_get(const pmix_proc_t *job, pmix_rank_t rank, const char *key,
                                     pmix_data_type_t type, uint64_t deadline_ns,
                                     tci_pmix_value *value_out, tc_error *err);

/* Waits until every process of the job has come here; what each had put by then is at all
 * servers. TC_E_TIMEOUT, TC_E_NO_MEMORY, and as above. */
TC_MUST_CHECK tc_status tci_pmix_fence(const pmix_proc_t *job, uint64_t deadline_ns,
                                       tc_error *err);

#endif
