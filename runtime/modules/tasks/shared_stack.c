/* The exchange of the stack pointer is written in assembly for each architecture. A function
 * begins by a call, so the return that ends it is predicted as any other. A function that
 * leaves or is resumed pushes the registers that calls preserve, exchanges the pointer, and
 * pops those of the other side. All such frames have one layout: `begin`, `leave` and `resume`
 * pop those of one another. Debuggers read it, too: task_layout.h has the version.
 *
 * An unwinder ends at a function's first frame: after a wait, the code below it is not the code
 * that began the function. */
#include "modules/tasks/shared_stack.h"

#include "base/arch.h"
#include "base/assertion.h"
#include "base/error_text.h"
#include "base/sanitized.h"

#include <string.h>
#include <sys/mman.h>

#if TCI_SANITIZED && !TCI_RACES_WATCHED
#define ADDRESSES_WATCHED 1
void __sanitizer_start_switch_fiber(void **fake_save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake, const void **bottom_old, size_t *size_old);
void __asan_unpoison_memory_region(const volatile void *address, size_t size);
#else
#define ADDRESSES_WATCHED 0
#endif
#if TCI_RACES_WATCHED
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#endif

/* Each returns 0 when the body has returned, 1 when it has left. */
int tci_stack_switch_begin(void *top, void (*body)(void *argument), void *argument,
                           void **runner);
int tci_stack_switch_leave(uint8_t **own, void **runner);
int tci_stack_switch_resume(uint8_t *own, void **runner);

#if defined(TCI_ARCH_X86_64)

#define PUSH                                                                                   \
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n"                         \
    "    pushq %r14\n    pushq %r15\n    subq $8, %rsp\n"                                      \
    "    stmxcsr (%rsp)\n    fnstcw 4(%rsp)\n"
#define POP_AND_RETURN                                                                         \
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n"                             \
    "    popq %rbx\n    popq %rbp\n    ret\n"
#define POP_ALL_AND_RETURN                                                                     \
    "    ldmxcsr (%rsp)\n    fldcw 4(%rsp)\n    addq $8, %rsp\n" POP_AND_RETURN
#define FUNCTION(name)                                                                         \
    ".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name                     \
    ",@function\n" #name ":\n.cfi_startproc\n.cfi_undefined %rip\n    endbr64\n"
#define END(name) ".cfi_endproc\n.size " #name ", .-" #name "\n"

/* The body's own return restores %rbx, also after others have run in between. */
__asm__(FUNCTION(tci_stack_switch_begin) PUSH
        "    movq %rsp, (%rcx)\n"
        "    movq %rcx, %rbx\n"
        "    movq %rdi, %rsp\n"
        "    movq %rdx, %rdi\n"
        "    xorl %ebp, %ebp\n"
        "    callq *%rsi\n"
        "    movq (%rbx), %rsp\n"
        "    addq $8, %rsp\n"
        "    xorl %eax, %eax\n" POP_AND_RETURN END(tci_stack_switch_begin));
__asm__(FUNCTION(tci_stack_switch_leave) PUSH
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    movl $1, %eax\n" POP_ALL_AND_RETURN END(tci_stack_switch_leave));
__asm__(FUNCTION(tci_stack_switch_resume) PUSH
        "    movq %rsp, (%rsi)\n"
        "    movq %rdi, %rsp\n" POP_ALL_AND_RETURN END(tci_stack_switch_resume));

/* Reads the shadow stack's pointer, which is 0 where returns are not compared. Older processors
 * take the instruction for one that does nothing. */
static bool returns_are_compared(void)
{
    uint64_t pointer = 0;
    __asm__ volatile("rdsspq %0" : "+r"(pointer));
    return pointer != 0;
}

#elif defined(TCI_ARCH_AARCH64)

#define PUSH                                                                                   \
    "    sub sp, sp, #176\n"                                                                   \
    "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"       \
    "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"  \
    "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"  \
    "    stp d14, d15, [sp, #144]\n    mrs x9, fpcr\n    str x9, [sp, #160]\n"                 \
    "    mov x9, sp\n"
#define POP_AND_RETURN                                                                         \
    "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"       \
    "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"  \
    "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"  \
    "    ldp d14, d15, [sp, #144]\n    add sp, sp, #176\n    ret\n"
#define POP_ALL_AND_RETURN "    ldr x9, [sp, #160]\n    msr fpcr, x9\n" POP_AND_RETURN
#define FUNCTION(name)                                                                         \
    ".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name                     \
    ",%function\n" #name ":\n.cfi_startproc\n.cfi_undefined x30\n    hint #34\n" /* bti c */
#define END(name) ".cfi_endproc\n.size " #name ", .-" #name "\n"

/* The body's own return restores x19, also after others have run in between. */
__asm__(FUNCTION(tci_stack_switch_begin) PUSH
        "    str x9, [x3]\n"
        "    mov x19, x3\n"
        "    mov sp, x0\n"
        "    mov x0, x2\n"
        "    mov x29, xzr\n"
        "    blr x1\n"
        "    ldr x9, [x19]\n"
        "    mov sp, x9\n"
        "    mov w0, #0\n" POP_AND_RETURN END(tci_stack_switch_begin));
__asm__(FUNCTION(tci_stack_switch_leave) PUSH
        "    str x9, [x0]\n"
        "    ldr x9, [x1]\n"
        "    mov sp, x9\n"
        "    mov w0, #1\n" POP_ALL_AND_RETURN END(tci_stack_switch_leave));
__asm__(FUNCTION(tci_stack_switch_resume) PUSH
        "    str x9, [x1]\n"
        "    mov sp, x0\n" POP_ALL_AND_RETURN END(tci_stack_switch_resume));

static bool returns_are_compared(void)
{
    return false;
}

#else
#error "how is the stack pointer exchanged on this architecture?"
#endif

tc_status tci_shared_stack_open(tci_shared_stack *stack, tc_error *err)
{
    if (returns_are_compared())
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "functions cannot wait: this process has a shadow stack (CET), "
                             "which their copied frames would not fit");
    uint8_t *memory = mmap(NULL, TCI_SHARED_STACK_GUARD + TCI_SHARED_STACK_BYTES, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return tci_error_set(err, TC_E_NO_MEMORY, "the stack of functions that wait: %u bytes",
                             TCI_SHARED_STACK_GUARD + TCI_SHARED_STACK_BYTES);
    *stack = (tci_shared_stack){.memory = memory + TCI_SHARED_STACK_GUARD};
    if (mprotect(stack->memory, TCI_SHARED_STACK_BYTES, PROT_READ | PROT_WRITE) == 0)
        return TC_OK;
    tci_shared_stack_close(stack);
    return tci_error_set(err, TC_E_NO_MEMORY, "the stack of functions that wait");
}

void tci_shared_stack_close(tci_shared_stack *stack)
{
    if (stack->memory != NULL)
        (void)munmap(stack->memory - TCI_SHARED_STACK_GUARD,
                     TCI_SHARED_STACK_GUARD + TCI_SHARED_STACK_BYTES);
    stack->memory = NULL;
}

/* --- for sanitizers ----------------------------------------------------------------------- */

/* A function that changes the fiber records neither its beginning nor its end: they would be of
 * two fibers. */
#if TCI_RACES_WATCHED && defined(__clang__)
#define UNWATCHED __attribute__((disable_sanitizer_instrumentation, noinline))
#elif TCI_RACES_WATCHED
#define UNWATCHED __attribute__((no_sanitize("thread"), noinline))
#else
#define UNWATCHED
#endif

/* The runner's side, before and behind an exchange. */
static UNWATCHED void go_in(tci_shared_stack *stack, const tci_stack_mark *mark)
{
    (void)stack, (void)mark;
#if ADDRESSES_WATCHED
    if (stack->stale) /* of frames that were left and not returned from */
        __asan_unpoison_memory_region(stack->memory, TCI_SHARED_STACK_BYTES);
    stack->stale = false;
    __sanitizer_start_switch_fiber(&stack->runner_fake, stack->memory, TCI_SHARED_STACK_BYTES);
#elif TCI_RACES_WATCHED
    stack->runner_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(mark->fiber, 0);
#endif
}

static inline void came_out(const tci_shared_stack *stack)
{
    (void)stack;
#if ADDRESSES_WATCHED
    __sanitizer_finish_switch_fiber(stack->runner_fake, NULL, NULL);
#endif
}

/* The function's side. `fake` is NULL in a function that ends. */
static UNWATCHED void go_out(tci_shared_stack *stack, void **fake)
{
    (void)stack, (void)fake;
#if ADDRESSES_WATCHED
    __sanitizer_start_switch_fiber(fake, stack->runner_bottom, stack->runner_bytes);
#elif TCI_RACES_WATCHED
    __tsan_switch_to_fiber(stack->runner_fiber, 0);
#endif
}

static inline void came_in(tci_shared_stack *stack, void *fake)
{
    (void)stack, (void)fake;
#if ADDRESSES_WATCHED
    __sanitizer_finish_switch_fiber(fake, &stack->runner_bottom, &stack->runner_bytes);
#endif
}

/* --- running, leaving, resuming ----------------------------------------------------------- */

typedef struct beginning {
    tci_shared_stack *stack;
    void (*body)(void *argument);
    void *argument;
} beginning;

#if TCI_SANITIZED
static UNWATCHED void begin(void *argument)
{
    const beginning *b = argument;
    tci_shared_stack *stack = b->stack; /* `b` is the runner's, which may go on before this */
    came_in(stack, NULL);
    b->body(b->argument);
    go_out(stack, NULL);
}
#endif

bool tci_shared_stack_run(tci_shared_stack *stack, uint8_t *top, void (*body)(void *argument),
                          void *argument, tci_stack_mark *mark)
{
    TCI_INVARIANT(shared_stack,
                  tci_shared_stack_has(stack, top - 1) && (uintptr_t)top % 16 == 0);
#if TCI_SANITIZED
    beginning b = {stack, body, argument};
    body = begin;
    argument = &b;
#endif
#if TCI_RACES_WATCHED
    mark->fiber = __tsan_create_fiber(0);
#endif
    mark->sp = NULL;
    go_in(stack, mark);
    const bool left = tci_stack_switch_begin(top, body, argument, &stack->runner) != 0;
    came_out(stack);
    if (!left)
        tci_shared_stack_forget(mark);
    return left;
}

void tci_shared_stack_leave(tci_shared_stack *stack, tci_stack_mark *mark)
{
    stack->stale = true;
    go_out(stack, &mark->fake);
    (void)tci_stack_switch_leave(&mark->sp, &stack->runner);
    came_in(stack, mark->fake);
}

bool tci_shared_stack_resume(tci_shared_stack *stack, tci_stack_mark *mark)
{
    TCI_INVARIANT(shared_stack, tci_shared_stack_has(stack, mark->sp));
    go_in(stack, mark);
    const bool left = tci_stack_switch_resume(mark->sp, &stack->runner) != 0;
    came_out(stack);
    if (!left)
        tci_shared_stack_forget(mark);
    return left;
}

void tci_shared_stack_forget(tci_stack_mark *mark)
{
#if TCI_RACES_WATCHED
    if (mark->fiber != NULL)
        __tsan_destroy_fiber(mark->fiber);
    mark->fiber = NULL;
#endif
    mark->sp = NULL;
}

void tci_shared_stack_save(tci_shared_stack *stack, const tci_stack_mark *mark, uint8_t *to)
{
#if ADDRESSES_WATCHED
    __asan_unpoison_memory_region(stack->memory, TCI_SHARED_STACK_BYTES);
    stack->stale = false;
#endif
    memcpy(to, mark->sp, tci_shared_stack_used(stack, mark));
}

void tci_shared_stack_restore(tci_shared_stack *stack, const tci_stack_mark *mark,
                              const uint8_t *from)
{
    memcpy(mark->sp, from, tci_shared_stack_used(stack, mark));
}
