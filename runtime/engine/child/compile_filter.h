/* The system calls that compiling needs, as a filter of the kernel's (seccomp): memory that is
 * not executable, waiting, the socket, text on standard error, and the end.
 *
 * Calls that LLVM and the C library try and can do without fail as if they were not permitted:
 * that is how assembly finds that it can open no file. Every other call ends the process at
 * once, by SIGSYS. */
#ifndef TCI_COMPILE_FILTER_H
#define TCI_COMPILE_FILTER_H

/* Sets the filter for all threads of the process, for good; no_new_privs has to be set.
 * `socket` is the only descriptor that it may receive from and send to, `statm` the only one
 * that it may read. Returns 0, or the reason why the kernel has or takes no filter: a number of
 * errno. */
int tci_compile_filter_set(int socket, int statm);

#endif
