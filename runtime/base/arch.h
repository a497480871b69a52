/* The library's compile-time facts about each architecture, in one block per architecture. A
 * port begins here: a block that lacks a name does not compile, and no other file may mistake
 * an unknown architecture for a known one. docs/new-architecture.md lists the files outside
 * this block that a port changes. */
#ifndef TCI_ARCH_H
#define TCI_ARCH_H

/* Each block defines:
 *
 * TCI_ARCH_X86_64, ...     1 for this one; undefined for others. For whole functions that are
 *                          written for one architecture, with an #elif for each.
 * TCI_ARCH_NUMBER          its number in hellos, archives and images; those formats list them
 * TCI_ARCH_NAME            as in a triple; TCI_ARCH_MULTIARCH: as in the names of folders
 * TCI_ARCH_AUDIT           the kernel's number in filters of system calls (linux/audit.h)
 * TCI_ARCH_TRAP_BYTE       fills memory that must not run
 * TCI_ARCH_RETURNS(n)      the bytes of int f(void) { return n; }, for n of 1 and 2
 * TCI_ARCH_REFETCH()       makes the processor discard fetched instructions after code changed
 * TCI_ARCH_PAUSE()         a short pause in a loop that waits for another processor
 * TCI_ARCH_LLVM(part)      LLVM's function that initialises that part of its target */
#if defined(__x86_64__)

#define TCI_ARCH_X86_64 1
#define TCI_ARCH_NUMBER 1
#define TCI_ARCH_NAME "x86_64"
#define TCI_ARCH_MULTIARCH "x86_64-linux-gnu"
#define TCI_ARCH_AUDIT 0xc000003eu
#define TCI_ARCH_TRAP_BYTE 0xcc /* int3 */
#define TCI_ARCH_RETURNS(n) 0xb8, (n), 0, 0, 0, 0xc3
#define TCI_ARCH_REFETCH() ((void)0) /* the processor sees its own writes */
#define TCI_ARCH_PAUSE() __builtin_ia32_pause()
#define TCI_ARCH_LLVM(part) LLVMInitializeX86##part

#elif defined(__aarch64__)

#define TCI_ARCH_AARCH64 1
#define TCI_ARCH_NUMBER 2
#define TCI_ARCH_NAME "aarch64"
#define TCI_ARCH_MULTIARCH "aarch64-linux-gnu"
#define TCI_ARCH_AUDIT 0xc00000b7u
#define TCI_ARCH_TRAP_BYTE 0 /* udf #0 */
#define TCI_ARCH_RETURNS(n) 0x20 * (n), 0, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6
#define TCI_ARCH_REFETCH() __asm__ volatile("isb" ::: "memory")
#define TCI_ARCH_PAUSE() __asm__ volatile("isb")
#define TCI_ARCH_LLVM(part) LLVMInitializeAArch64##part

#else
#error "Three-Chains runs on x86_64 and aarch64; see docs/new-architecture.md"
#endif

#define TCI_ARCH_COUNT 2u /* architectures that have a number */

#endif
