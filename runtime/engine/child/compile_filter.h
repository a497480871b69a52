/* The system calls that compiling needs, as a filter of the kernel's (seccomp): memory that
 * nothing runs in, waiting, the socket, words on standard error, and the end.
 *
 * What LLVM and the C library try and can do without fails as if it were not permitted: that is
 * how assembly learns that there is no file to be had. Everything else ends the process at
 * once, by SIGSYS. */
#ifndef TCI_COMPILE_FILTER_H
#define TCI_COMPILE_FILTER_H

/* For all threads of the process, for good; no_new_privs has to be set. `socket` is the only
 * descriptor that it may receive from and send to, `statm` the only one that it may read. 0, or
 * why the kernel has or takes no filter: a number of errno. */
int tci_compile_filter_set(int socket, int statm);

#endif
