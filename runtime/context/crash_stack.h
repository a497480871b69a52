/* Stacks for the handler of tc/crash.h, which runs also where a thread's own stack, or that of
 * functions that wait, is full. */
#ifndef TCI_CRASH_STACK_H
#define TCI_CRASH_STACK_H

/* From now on threads of the library take one: the handler is installed. */
void tci_crash_stack_want(void);

/* Gives the calling thread a stack for signal handlers, if the handler is installed and the
 * thread has no such stack: sanitizers and other languages bring their own. Returns it for
 * tci_crash_stack_end, or NULL. Without memory for it, only an overflow has no line. */
void *tci_crash_stack_begin(void);
/* Takes it from the same thread. NULL is allowed. */
void tci_crash_stack_end(void *stack);

#endif
