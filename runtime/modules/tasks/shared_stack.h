/* A stack that functions of one context run on in turns. A function that waits leaves it; its
 * bytes are copied elsewhere until it is resumed, at the same addresses.
 *
 * Below the stack lies an area that cannot be accessed: an overflow is a SIGSEGV there. All
 * calls are of one thread at a time, and tci_shared_stack_leave of code that runs on the stack.
 *
 * The state of a function that left: registers that calls preserve, and the control words of
 * the floating-point units, lie on the stack below `sp`'s frame. docs/decisions/task-stacks.md
 * has measurements and alternatives. */
#ifndef TCI_SHARED_STACK_H
#define TCI_SHARED_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_SHARED_STACK_BYTES (1u << 20)
#define TCI_SHARED_STACK_GUARD (64u << 10)

/* A zeroed one is closed. */
typedef struct tci_shared_stack {
    uint8_t *memory; /* its lowest byte, above the guard; NULL: closed */
    void *runner;    /* stack pointer of the code that began or resumed a function */
    /* For sanitizers, about that code. */
    void *runner_fake, *runner_fiber;
    const void *runner_bottom;
    size_t runner_bytes;
    bool stale; /* a function left its marks in their shadow memory */
} tci_shared_stack;

/* The position of a function that has left. */
typedef struct tci_stack_mark {
    uint8_t *sp;
    void *fake, *fiber; /* for sanitizers */
} tci_stack_mark;

/* TC_E_NO_MEMORY. TC_E_UNSUPPORTED: the processor compares return addresses with a shadow
 * stack, which a copy would not fit. */
TC_MUST_CHECK tc_status tci_shared_stack_open(tci_shared_stack *stack, tc_error *err);
void tci_shared_stack_close(tci_shared_stack *stack);

static inline uint8_t *tci_shared_stack_top(const tci_shared_stack *stack)
{
    return stack->memory + TCI_SHARED_STACK_BYTES;
}

/* Returns whether the address is in the stack. */
static inline bool tci_shared_stack_has(const tci_shared_stack *stack, const void *address)
{
    const uintptr_t at = (uintptr_t)address, memory = (uintptr_t)stack->memory;
    return memory != 0 && at >= memory && at - memory < TCI_SHARED_STACK_BYTES;
}

/* Returns whether the address is in the area below the stack. Async-signal-safe. */
static inline bool tci_shared_stack_guards(const tci_shared_stack *stack, const void *address)
{
    const uintptr_t at = (uintptr_t)address, memory = (uintptr_t)stack->memory;
    return memory != 0 && at < memory && memory - at <= TCI_SHARED_STACK_GUARD;
}

/* Calls body(argument) with its frames below `top`, a multiple of 16 inside the stack. Returns
 * false when it has returned, true when it has left: *mark is then its position. */
bool tci_shared_stack_run(tci_shared_stack *stack, uint8_t *top, void (*body)(void *argument),
                          void *argument, tci_stack_mark *mark);

/* Leaves the stack: tci_shared_stack_run or _resume returns true. Returns when resumed. */
void tci_shared_stack_leave(tci_shared_stack *stack, tci_stack_mark *mark);

/* Continues at the mark. Its bytes have been restored. Returns as tci_shared_stack_run
 * does. */
bool tci_shared_stack_resume(tci_shared_stack *stack, tci_stack_mark *mark);

/* Bytes from the mark to the stack's top. */
static inline size_t tci_shared_stack_used(const tci_shared_stack *stack,
                                           const tci_stack_mark *mark)
{
    return (size_t)(tci_shared_stack_top(stack) - mark->sp);
}

/* Copies those bytes out, and back. */
void tci_shared_stack_save(tci_shared_stack *stack, const tci_stack_mark *mark, uint8_t *to);
void tci_shared_stack_restore(tci_shared_stack *stack, const tci_stack_mark *mark,
                              const uint8_t *from);

/* Forgets a function that has left and is never resumed. */
void tci_shared_stack_forget(tci_stack_mark *mark);

#endif
