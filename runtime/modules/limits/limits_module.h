/* The module `limits`, behind the socket core/limits.h. */
#ifndef TCI_LIMITS_MODULE_H
#define TCI_LIMITS_MODULE_H

#include "core/limits.h"
#include "core/module.h"
#include "modules/limits/audit.h"
#include "modules/limits/busy_desk.h"
#include "modules/limits/call_watch.h"
#include "modules/limits/quota.h"

typedef struct tci_limits_state {
    tci_limits table; /* first: core->limits points at it */
    tci_account *accounts;
    tci_audit audit;
    tci_call_watch *watch; /* NULL: the option call_time_max is 0 */
    tci_busy_desk *desk;   /* NULL: no answers while a function runs */
} tci_limits_state;

static inline tci_limits_state *tci_limits_state_of(const tci_core *core)
{
    return (tci_limits_state *)(void *)core->limits;
}

extern const tci_module tci_limits_module;

#endif
