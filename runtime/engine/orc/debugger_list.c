#include "debugger_list.h"

#include <stddef.h>
#include <stdint.h>

/* As "JIT Compilation Interface" in GDB's manual has them. */
enum { UNREGISTER = 2 };

typedef struct entry {
    struct entry *next;
    struct entry *previous;
    const char *file;
    uint64_t size;
} entry;

typedef struct descriptor {
    uint32_t version;
    uint32_t action;
    entry *relevant;
    entry *first;
} descriptor;

/* LLVM's; a build of LLVM may hide them. */
extern descriptor __jit_debug_descriptor __attribute__((weak));
extern void __jit_debug_register_code(void) __attribute__((weak));
/* C++'s operator delete: LLVM makes entries by operator new. */
extern void _ZdlPv(void *) __attribute__((weak));

const void *tci_debugger_list_newest(void)
{
    return &__jit_debug_descriptor != NULL ? __jit_debug_descriptor.first : NULL;
}

void tci_debugger_list_forget(const void *wanted)
{
    if (wanted == NULL || &__jit_debug_descriptor == NULL || __jit_debug_register_code == NULL)
        return;
    entry *e = __jit_debug_descriptor.first;
    while (e != NULL && e != wanted)
        e = e->next;
    if (e == NULL)
        return;
    if (e->previous != NULL)
        e->previous->next = e->next;
    else
        __jit_debug_descriptor.first = e->next;
    if (e->next != NULL)
        e->next->previous = e->previous;
    __jit_debug_descriptor.relevant = e;
    __jit_debug_descriptor.action = UNREGISTER;
    __jit_debug_register_code(); /* a debugger has a breakpoint there */
    __jit_debug_descriptor.relevant = NULL;
    if (_ZdlPv != NULL)
        _ZdlPv(e);
}
