/* The list of linked objects that debuggers read (GDB's interface for JITs), which LLVM keeps.
 *
 * LLVM adds to it and, up to 19 at least, never takes anything away, though it frees what the
 * list names. So that is done here, by whoever serialises the linking. */
#ifndef TCI_DEBUGGER_LIST_H
#define TCI_DEBUGGER_LIST_H

/* What was added last, or NULL. */
const void *tci_debugger_list_newest(void);

/* Takes it away and tells a debugger that listens. Nothing happens if it is not in the list any
 * more. NULL is allowed. */
void tci_debugger_list_forget(const void *entry);

#endif
