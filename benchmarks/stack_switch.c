/* A swap pushes the registers, stores the stack pointer, loads the other one, pops, and goes
 * on. Neither mxcsr nor the x87 control word (x86_64), nor fpcr (aarch64), is saved; on aarch64
 * d8 to d15 are, as calls preserve them. */
#include "stack_switch.h"

#include "perf_clock.h"

#include <stddef.h>

#define STACK_BYTES 4096u

#define FUNCTION(name, kind) ".text\n.p2align 4\n.type " #name ", " kind "\n" #name ":\n"
#define END(name) ".size " #name ", .-" #name "\n"
/* Stores the own stack pointer at *own and goes on at *other; and the code of the other
 * context, which goes back each time. */
#define DECLARE(way)                                                                           \
    void stack_switch_##way(void **own, void *const *other) __asm__("stack_switch_" #way);     \
    void stack_switch_answer_##way(void) __asm__("stack_switch_answer_" #way);

DECLARE(return )

/* Stack pointers of the measuring side and of the answering one, while each has left. */
static void *positions[2] __asm__("stack_switch_positions") __attribute__((used));

/* A new stack has zeroes to pop, and behind them the address to go to. */
#if defined(__x86_64__)
#define FRAME_WORDS 7u
#define ADDRESS_WORD 6u
#define SWITCH(way, go_on)                                                                     \
    __asm__(FUNCTION(stack_switch_##way,                                                       \
                     "@function") "    endbr64\n"                                              \
                                  "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"           \
                                  "    pushq %r13\n    pushq %r14\n    pushq %r15\n"           \
                                  "    movq %rsp, (%rdi)\n"                                    \
                                  "    movq (%rsi), %rsp\n"                                    \
                                  "    popq %r15\n    popq %r14\n    popq %r13\n"              \
                                  "    popq %r12\n    popq %rbx\n    popq %rbp\n" go_on END(   \
                                      stack_switch_##way));                                    \
    __asm__(FUNCTION(stack_switch_answer_##way,                                                \
                     "@function") "    endbr64\n"                                              \
                                  "1:  leaq stack_switch_positions(%rip), %rsi\n"              \
                                  "    leaq 8(%rsi), %rdi\n"                                   \
                                  "    callq stack_switch_" #way "\n"                          \
                                  "    jmp 1b\n" END(stack_switch_answer_##way))

DECLARE(jump)
SWITCH(jump, "    popq %rcx\n    jmpq *%rcx\n");
SWITCH(return, "    ret\n");
#elif defined(__aarch64__)
#define FRAME_WORDS 20u
#define ADDRESS_WORD 11u
#define stack_switch_jump stack_switch_return
#define stack_switch_answer_jump stack_switch_answer_return
__asm__(FUNCTION(stack_switch_return,
                 "%function") "    hint #34\n"
                              "    sub sp, sp, #160\n"
                              "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n    stp "
                              "x23, x24, [sp, #32]\n"
                              "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    "
                              "stp x29, x30, [sp, #80]\n"
                              "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
                              "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
                              "    mov x9, sp\n    str x9, [x0]\n"
                              "    ldr x9, [x1]\n    mov sp, x9\n"
                              "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n    ldp "
                              "x23, x24, [sp, #32]\n"
                              "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    "
                              "ldp x29, x30, [sp, #80]\n"
                              "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
                              "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
                              "    add sp, sp, #160\n"
                              "    ret\n" END(stack_switch_return));
__asm__(FUNCTION(stack_switch_answer_return,
                 "%function") "    hint #34\n"
                              "1:  adrp x1, stack_switch_positions\n"
                              "    add x1, x1, :lo12:stack_switch_positions\n"
                              "    add x0, x1, #8\n"
                              "    bl stack_switch_return\n"
                              "    b 1b\n" END(stack_switch_answer_return));
#else
#error "how are stacks switched on this architecture?"
#endif

typedef struct switch_form {
    void (*swap)(void **own, void *const *other);
    void (*answer)(void);
} switch_form;

static const switch_form forms[] = {
    [STACK_SWITCH_JUMP] = {stack_switch_jump, stack_switch_answer_jump},
    [STACK_SWITCH_RETURN] = {stack_switch_return, stack_switch_answer_return},
};

uint64_t stack_switch_measure_ns(stack_switch_way way, uint64_t count)
{
    static _Alignas(64) uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
    const switch_form *form = &forms[way];
    uint64_t *frame = stack + STACK_BYTES / sizeof(uint64_t) - FRAME_WORDS - 1;
    frame -= (uintptr_t)frame % 16 / sizeof *frame;
    for (size_t i = 0; i < FRAME_WORDS; i++)
        frame[i] = i == ADDRESS_WORD ? (uint64_t)(uintptr_t)form->answer : 0;
    positions[1] = frame;
    const uint64_t start_ns = perf_now_ns();
    for (uint64_t i = 0; i < count; i++)
        form->swap(&positions[0], &positions[1]);
    return perf_now_ns() - start_ns;
}
