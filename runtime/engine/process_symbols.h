/* Finds names in the files that the process began with: the program, and the libraries that it
 * is linked with. dlsym searches them first, and they are never unloaded, so their names may be
 * looked up in their own tables. dlsym itself waits while another thread loads a library, which
 * takes tens of milliseconds for LLVM; a lookup here does not wait. Any thread. */
#ifndef TCI_PROCESS_SYMBOLS_H
#define TCI_PROCESS_SYMBOLS_H

/* Reads the list of files, once. Without this call the first search does so, and waits as dlsym
 * would. */
void tci_process_symbols_prepare(void);

/* Returns the address that dlsym(RTLD_DEFAULT) would give. NULL: dlsym has to be asked, since
 * no such file defines the name, or since the name is a thread-local variable. Runs the
 * resolver of a GNU ifunc. */
void *tci_process_symbols_find(const char *name);

#endif
