#include "context/crash_stack.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#define STACK_BYTES ((size_t)64 * 1024)

static bool is_wanted;

void tci_crash_stack_want(void)
{
    __atomic_store_n(&is_wanted, true, __ATOMIC_RELAXED);
}

void *tci_crash_stack_begin(void)
{
    stack_t ours = {.ss_size = STACK_BYTES}, theirs;
    if (!__atomic_load_n(&is_wanted, __ATOMIC_RELAXED) || sigaltstack(NULL, &theirs) != 0 ||
        (theirs.ss_flags & SS_DISABLE) == 0)
        return NULL;
    ours.ss_sp =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ours.ss_sp == MAP_FAILED)
        return NULL;
    (void)sigaltstack(&ours, NULL);
    return ours.ss_sp;
}

void tci_crash_stack_end(void *stack)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    if (stack != NULL && sigaltstack(&none, NULL) == 0)
        (void)munmap(stack, STACK_BYTES);
}
