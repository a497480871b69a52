/* A running function reads about its own message, fails, or ends from inside. */
#include "base/sanitized.h"
#include "core/calls_ops.h"
#include "core/current.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <tc/entry.h>

tc_ep *tc_self_endpoint(void)
{
    return tci_current_get()->ep;
}

tc_ifunc *tc_self_ifunc(void)
{
    return tci_current_get()->ep != NULL ? tci_current_get()->fn : NULL;
}

tc_group *tc_self_group(void)
{
    const tci_current *current = tci_current_get();
    return current->ep != NULL ? current->ep->member.group : NULL;
}

uint32_t tc_self_origin(void)
{
    const tci_current *current = tci_current_get();
    if (current->invocation != NULL)
        return current->invocation->route.origin;
    return tc_self_group() != NULL ? current->ep->member.rank : TC_RANK_NONE;
}

uint32_t tc_self_hops(void)
{
    const tci_current *current = tci_current_get();
    return current->invocation != NULL ? current->invocation->route.hops : 0;
}

/* --- failing ----------------------------------------------------------------------------- */

/* Returns whether the failure was sent to the origin. Otherwise it is kept for the end of the
 * invocation, if that may still send it. */
static bool fail_invocation(tci_invocation *invocation, const tc_ep *ep, tc_status status,
                            const char *text)
{
    if (invocation == NULL || ep->core->calls == NULL)
        return false;
    if (ep->core->calls->ops->reply_error(status, text) == TC_OK)
        return true;
    if (!invocation->moved) {
        invocation->failure = status;
        (void)snprintf(invocation->text, sizeof invocation->text, "%s", text);
    }
    return false;
}

void tc_self_fail(tc_status status, const char *text)
{
    const tci_current *current = tci_current_get();
    const int size = (int)strnlen(text, TCI_REPLY_TEXT_MAX);
    tc_status failure = status < 0 ? status : TC_E_INVALID;
    if (current->ep == NULL) {
        TC_LOG(TC_LOG_WARN, "a function failed: %.*s", size, text);
        return;
    }
    if (!fail_invocation(current->invocation, current->ep, failure, text))
        TC_LOG_RATIONED(&current->ep->log, TC_LOG_WARN, "endpoint %u: a message failed: %.*s",
                        current->ep->connection, size, text);
}

/* --- guards ------------------------------------------------------------------------------ */

/* The compiler's own setjmp pair saves only the registers that the surrounding function has to
 * keep anyway. A guard then costs 5 ns instead of 7 in an otherwise empty loop. Sanitizers know
 * only the C library's pair, and clang has its own pair for some architectures only. */
#if TCI_SANITIZED || defined(__clang__)
typedef jmp_buf return_place;
#define MARK_RETURN(place) _setjmp(place)
#define GO_TO_RETURN(place) longjmp(place, 1)
#else
typedef void *return_place[5];
#define MARK_RETURN(place) __builtin_setjmp(place)
#define GO_TO_RETURN(place) __builtin_longjmp(place, 1)
#endif

typedef struct tci_guard {
    struct tci_guard *outer;
    const tc_ep *ep; /* with fn: the message that the guard belongs to */
    const tc_ifunc *fn;
    return_place place;
} tci_guard;

int tc_self_guard(void (*body)(void *argument), void *argument)
{
    tci_current *current = tci_current_get();
    tci_guard own;
    own.outer = current->guard;
    own.ep = current->ep;
    own.fn = current->fn;
    current->guard = &own;
    if (MARK_RETURN(own.place) != 0) {
        current = tci_current_get(); /* values in registers are not valid after the jump */
        current->guard = current->guard->outer;
        return 1;
    }
    body(argument);
    current->guard = own.outer;
    return 0;
}

/* Returns whether the guard belongs to the running message. Within the guard's message one of
 * another context may run, and a jump must not leave that context's library code. */
static bool is_of_running_message(const tci_current *current)
{
    return current->guard->ep == current->ep && current->guard->fn == current->fn;
}

void tc_self_abandon(void)
{
    const tci_current *current = tci_current_get();
    if (current->guard != NULL && is_of_running_message(current))
        GO_TO_RETURN(current->guard->place);
}
