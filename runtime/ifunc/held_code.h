/* The code of a function in which messages wait (core/tasks_ops.h). They return into it, so it
 * is neither evicted nor bound to other libraries meanwhile, and code that is replaced stays.
 */
#ifndef TCI_HELD_CODE_H
#define TCI_HELD_CODE_H

#include "ifunc/registry.h"

typedef struct tci_held_code {
    /* Takes a unit that messages may wait in, and unloads it after the last of them. */
    void (*keep)(tc_ifunc *fn, tci_code_unit *unit);
} tci_held_code;

#endif
