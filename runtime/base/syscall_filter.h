/* Builds a seccomp filter, instruction by instruction: from lists of system calls, and from
 * rules for calls that are allowed with some arguments only. Both users, the process that
 * compiles bitcode and tc-node --confine, list the calls that they allow. Source:
 * seccomp(2). */
#ifndef TCI_SYSCALL_FILTER_H
#define TCI_SYSCALL_FILTER_H

#include "base/arch.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TCI_SYSCALL_FILTER_MAX 1024
#define TCI_SYSCALL_TESTS_MAX 4u /* of one rule */

/* Too large for a stack frame: use a static one. */
typedef struct tci_syscall_filter {
    struct sock_filter code[TCI_SYSCALL_FILTER_MAX];
    size_t size; /* above the maximum: it did not fit */
} tci_syscall_filter;

typedef enum tci_syscall_test_kind {
    TCI_SYSCALL_NO_TEST,
    TCI_SYSCALL_IS,   /* the argument is the value */
    TCI_SYSCALL_HAS,  /* it has all bits of the value */
    TCI_SYSCALL_LACKS /* it has no bit of the value */
} tci_syscall_test_kind;

/* Index of half an argument. Lower halves come first on both architectures; for descriptors,
 * numbers and flags they are enough. */
#define TCI_SYSCALL_LOWER(argument) (2 * (argument))
#define TCI_SYSCALL_UPPER(argument) (2 * (argument) + 1)

typedef struct tci_syscall_test {
    tci_syscall_test_kind kind;
    unsigned half;
    uint32_t value;
} tci_syscall_test;

/* A call that passes all tests gets the verdict; any other continues with the next
 * instructions. */
typedef struct tci_syscall_rule {
    int call;
    uint32_t verdict;
    tci_syscall_test tests[TCI_SYSCALL_TESTS_MAX];
} tci_syscall_rule;

static inline void tci_syscall_filter_add(tci_syscall_filter *f, uint16_t code, uint8_t if_true,
                                          uint8_t if_false, uint32_t value)
{
    if (f->size < TCI_SYSCALL_FILTER_MAX)
        f->code[f->size] = (struct sock_filter){code, if_true, if_false, value};
    f->size++;
}

/* Loads 32 bits of struct seccomp_data. */
static inline void tci_syscall_filter_load(tci_syscall_filter *f, size_t offset)
{
    tci_syscall_filter_add(f, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

static inline void tci_syscall_filter_answer(tci_syscall_filter *f, uint32_t verdict)
{
    tci_syscall_filter_add(f, BPF_RET | BPF_K, 0, 0, verdict);
}

/* Kills the process on calls of another architecture, and on this one's 32-bit calls. Leaves
 * the call's number loaded for the next instructions. */
static inline void tci_syscall_filter_begin(tci_syscall_filter *f)
{
    f->size = 0;
    tci_syscall_filter_load(f, offsetof(struct seccomp_data, arch));
    tci_syscall_filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, TCI_ARCH_AUDIT);
    tci_syscall_filter_answer(f, SECCOMP_RET_KILL_PROCESS);
    tci_syscall_filter_load(f, offsetof(struct seccomp_data, nr));
}

static inline void tci_syscall_filter_calls(tci_syscall_filter *f, const int *calls,
                                            size_t count, uint32_t verdict)
{
    for (size_t i = 0; i < count; i++) {
        tci_syscall_filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)calls[i]);
        tci_syscall_filter_answer(f, verdict);
    }
}

/* Returns the number of instructions of one test. */
static inline size_t tci_syscall_test_size(const tci_syscall_test *t)
{
    return t->kind == TCI_SYSCALL_NO_TEST ? 0 : t->kind == TCI_SYSCALL_HAS ? 3 : 2;
}

/* Adds a test. `left`: instructions from behind this test to the end of the rule's verdict. */
static inline void tci_syscall_filter_test(tci_syscall_filter *f, const tci_syscall_test *t,
                                           size_t left)
{
    const uint8_t away = (uint8_t)left;
    if (t->kind == TCI_SYSCALL_NO_TEST)
        return;
    tci_syscall_filter_load(f,
                            offsetof(struct seccomp_data, args) + t->half * sizeof(uint32_t));
    if (t->kind == TCI_SYSCALL_HAS)
        tci_syscall_filter_add(f, BPF_ALU | BPF_AND | BPF_K, 0, 0, t->value);
    if (t->kind == TCI_SYSCALL_LACKS)
        tci_syscall_filter_add(f, BPF_JMP | BPF_JSET | BPF_K, away, 0, t->value);
    else
        tci_syscall_filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, away, t->value);
}

static inline void tci_syscall_filter_rules(tci_syscall_filter *f,
                                            const tci_syscall_rule *rules, size_t count)
{
    for (const tci_syscall_rule *r = rules; r < rules + count; r++) {
        size_t left = 1; /* the verdict */
        for (size_t i = 0; i < TCI_SYSCALL_TESTS_MAX; i++)
            left += tci_syscall_test_size(&r->tests[i]);
        /* Another call skips the rule with its number still loaded. */
        tci_syscall_filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, (uint8_t)(left + 1),
                               (uint32_t)r->call);
        for (size_t i = 0; i < TCI_SYSCALL_TESTS_MAX; i++) {
            left -= tci_syscall_test_size(&r->tests[i]);
            tci_syscall_filter_test(f, &r->tests[i], left);
        }
        tci_syscall_filter_answer(f, r->verdict);
        tci_syscall_filter_load(f, offsetof(struct seccomp_data, nr));
    }
}

/* Installs the filter for all threads; adds SECCOMP_FILTER_FLAG_TSYNC to the flags. Returns the
 * result of seccomp(2), or -1 with E2BIG. */
static inline long tci_syscall_filter_set(const tci_syscall_filter *f, unsigned flags)
{
    if (f->size > TCI_SYSCALL_FILTER_MAX) {
        errno = E2BIG;
        return -1;
    }
    const struct sock_fprog program = {
        .len = (unsigned short)f->size,
        .filter = (struct sock_filter *)f->code, /* the kernel only reads it */
    };
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC | flags,
                   &program);
}

#endif
