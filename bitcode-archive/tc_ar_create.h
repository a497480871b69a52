/* `tc-ar create NAME a.bc b.bc -o NAME.tca`: packs bitcode that any LLVM language made. The one
 * command of tc-ar that needs LLVM, so a build without it leaves it out. */
#ifndef TCI_TC_AR_CREATE_H
#define TCI_TC_AR_CREATE_H

/* argv[0] is "create", its own arguments follow. Prints its errors and --help; returns the exit
 * status: 0, 1 for a file or archive that cannot be used, 2 for a command line that cannot. */
int tci_ar_create(int argc, char **argv);

#endif
