/* Names of the files that the process began with: the program, and the libraries that it is linked
 * with. dlsym finds them first of all, and they never go, so what they define may be looked up
 * in their own tables. dlsym itself waits while another thread loads a library, which takes tens of
 * milliseconds for LLVM; nothing here waits for anything. Any thread. */
#ifndef TCI_PROCESS_SYMBOLS_H
#define TCI_PROCESS_SYMBOLS_H

/* Notes what there is, once; else the first search does, which waits as dlsym would. */
void tci_process_symbols_prepare(void);

/* The address that dlsym(RTLD_DEFAULT) would give. NULL: it has to be asked, since no such file
 * defines the name, or since the name is a thread-local variable. Runs the resolver of a GNU
 * ifunc. */
void *tci_process_symbols_find(const char *name);

#endif
