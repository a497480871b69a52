/* The function that is running, its endpoint and guards: the answer of tc_self_endpoint and
 * tc_self_ifunc. */
#ifndef TCI_CURRENT_H
#define TCI_CURRENT_H

#include <tc/ifunc.h>

typedef struct tci_current {
    tc_ep *ep;
    tc_ifunc *fn;
    struct tci_invocation *invocation; /* of a message with a route; otherwise NULL */
    struct tci_guard *guard;           /* the innermost of tc_self_guard, or NULL */
} tci_current;

/* The calling thread's own. */
extern _Thread_local tci_current tci_current_call __attribute__((tls_model("initial-exec")));

static inline tci_current *tci_current_get(void)
{
    return &tci_current_call;
}

#endif
