/* A seccomp filter while it is written, instruction by instruction. Which calls it allows is its
 * writer's matter: the process that compiles bitcode has a list of those allowed, tc-node --confine
 * one of those refused. Source: seccomp(2). */
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

/* Larger than a stack frame should be: a static one. */
typedef struct tci_syscall_filter {
    struct sock_filter code[TCI_SYSCALL_FILTER_MAX];
    size_t size; /* above the maximum: it did not fit */
} tci_syscall_filter;

static inline void tci_syscall_filter_add(tci_syscall_filter *f, uint16_t code, uint8_t if_true,
                                          uint8_t if_false, uint32_t value)
{
    if (f->size < TCI_SYSCALL_FILTER_MAX)
        f->code[f->size] = (struct sock_filter){code, if_true, if_false, value};
    f->size++;
}

/* Reads 32 bits of struct seccomp_data. */
static inline void tci_syscall_filter_load(tci_syscall_filter *f, size_t offset)
{
    tci_syscall_filter_add(f, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

static inline void tci_syscall_filter_answer(tci_syscall_filter *f, uint32_t verdict)
{
    tci_syscall_filter_add(f, BPF_RET | BPF_K, 0, 0, verdict);
}

/* Calls of another architecture, and the 32-bit ones of this, end the process. What follows finds
 * the call's number loaded. */
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

/* Sets it for all threads; SECCOMP_FILTER_FLAG_TSYNC is among the flags. The result is
 * that of seccomp(2), or -1 with E2BIG. */
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
