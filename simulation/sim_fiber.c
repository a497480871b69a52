/* Stacks and the switch between them, in assembly for each architecture: the registers that a
 * function keeps for its caller are pushed, the stack pointer is exchanged, and the other
 * fiber's registers are popped. */
#include "sim_fiber.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
void __sanitizer_start_switch_fiber(void **fake_save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake, const void **bottom_old, size_t *size_old);
#endif

void sim_fiber_exchange(void **from, void *to);
void sim_fiber_start(void);

#if defined(__x86_64__)

#define SAVED_WORDS 9 /* six registers, the return address, alignment */

__asm__(".text\n"
        ".globl sim_fiber_exchange\n.hidden sim_fiber_exchange\n"
        ".type sim_fiber_exchange,@function\n"
        "sim_fiber_exchange:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size sim_fiber_exchange, .-sim_fiber_exchange\n"
        ".globl sim_fiber_start\n.hidden sim_fiber_start\n"
        ".type sim_fiber_start,@function\n"
        "sim_fiber_start:\n"
        "    movq %r12, %rdi\n"
        "    callq *%r13\n"
        "    ud2\n"
        ".size sim_fiber_start, .-sim_fiber_start\n");

static void *first_position(void *top, void (*entry)(void *argument), void *argument)
{
    uintptr_t *words = (uintptr_t *)top - SAVED_WORDS;
    words[0] = words[1] = 0;                        /* r15, r14 */
    words[2] = (uintptr_t)entry;                    /* r13 */
    words[3] = (uintptr_t)argument;                 /* r12 */
    words[4] = words[5] = 0;                        /* rbx, rbp */
    words[6] = (uintptr_t)(void *)&sim_fiber_start; /* the return address */
    words[7] = words[8] = 0;
    return words;
}

#elif defined(__aarch64__)

#define SAVED_WORDS 20 /* x19 to x30, d8 to d15 */

__asm__(".text\n"
        ".globl sim_fiber_exchange\n.hidden sim_fiber_exchange\n"
        ".type sim_fiber_exchange,@function\n"
        "sim_fiber_exchange:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size sim_fiber_exchange, .-sim_fiber_exchange\n"
        ".globl sim_fiber_start\n.hidden sim_fiber_start\n"
        ".type sim_fiber_start,@function\n"
        "sim_fiber_start:\n"
        "    mov x0, x19\n"
        "    blr x20\n"
        "    brk #1\n"
        ".size sim_fiber_start, .-sim_fiber_start\n");

static void *first_position(void *top, void (*entry)(void *argument), void *argument)
{
    uintptr_t *words = (uintptr_t *)top - SAVED_WORDS;
    for (unsigned i = 0; i < SAVED_WORDS; i++)
        words[i] = 0;
    words[0] = (uintptr_t)argument;                  /* x19 */
    words[1] = (uintptr_t)entry;                     /* x20 */
    words[11] = (uintptr_t)(void *)&sim_fiber_start; /* x30, the return address */
    return words;
}

#else
#error "simulation/sim_fiber.c: no switch of stacks for this architecture"
#endif

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* since Linux 6.13 */
#endif

/* Makes the page below a stack end the process. A protected page is a mapping of its own, of
 * which a process usually has at most 65,530; a guard takes no mapping. Stacks beyond that
 * number have no such page on older systems. */
static bool guard_page(void *page, size_t bytes)
{
    return madvise(page, bytes, MADV_GUARD_INSTALL) == 0 ||
           mprotect(page, bytes, PROT_NONE) == 0 || errno == ENOMEM;
}

bool sim_fiber_prepare(sim_stack *stack, size_t bytes, void (*entry)(void *argument),
                       void *argument)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    if (!guard_page(memory, page)) {
        (void)munmap(memory, bytes + page);
        return false;
    }
    *stack = (sim_stack){.memory = memory, .bytes = bytes + page};
    stack->position = first_position(memory + bytes + page, entry, argument);
    return true;
}

void sim_fiber_trim(const sim_stack *stack)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *begin = (char *)stack->memory + page;
    char *end = (char *)((uintptr_t)stack->position & ~(uintptr_t)(page - 1));
    if (end > begin && end < (char *)stack->memory + stack->bytes)
        (void)madvise(begin, (size_t)(end - begin), MADV_DONTNEED);
}

void sim_fiber_switch(sim_stack *from, sim_stack *to, bool ends)
{
#ifdef WITH_ASAN
    const bool has_left = to->left != NULL;
    __sanitizer_start_switch_fiber(ends ? NULL : &from->fake, has_left ? to->left : to->memory,
                                   has_left ? to->left_bytes : to->bytes);
#else
    (void)ends;
#endif
    sim_fiber_exchange(&from->position, to->position);
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(from->fake, &to->left, &to->left_bytes);
#endif
}

/* AddressSanitizer reports the bounds of the stack that was left: at first the caller's own,
 * which the world did not make. */
void sim_fiber_begun(sim_stack *left)
{
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(NULL, &left->left, &left->left_bytes);
#else
    (void)left;
#endif
}

void sim_fiber_free(sim_stack *stack)
{
    if (stack->memory != NULL)
        (void)munmap(stack->memory, stack->bytes);
    *stack = (sim_stack){0};
}
