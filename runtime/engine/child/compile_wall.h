/* The wall is the set of rights that a compiler process gives up once it is ready, so that a
 * compiler that was taken over by the code that it compiles reaches only its parent's socket.
 *
 * Neither the process nor a program that it starts can take back any of it. Each part is there
 * or not, depending on the kernel: the process that raises the wall reports the parts that
 * stand, and its parent decides whether these are enough. */
#ifndef TCI_COMPILE_WALL_H
#define TCI_COMPILE_WALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tci_compile_wall_part {
    TCI_WALL_PRIVILEGES = 1u,  /* no program that it starts could have more rights */
    TCI_WALL_DUMP = 2u,        /* other processes of the user cannot read its memory */
    TCI_WALL_DESCRIPTORS = 4u, /* it gets no descriptor beside its own */
    TCI_WALL_LANDLOCK = 8u,    /* no files; no TCP, no signals to others where the kernel can */
    TCI_WALL_SYSTEM_CALLS = 16u /* seccomp: the calls of compile_filter.h alone */
} tci_compile_wall_part;

#define TCI_WALL_PARTS 5u
#define TCI_WALL_ALL 31u
#define TCI_WALL_TEXT_MAX 256u

typedef struct tci_compile_wall {
    uint32_t parts;                  /* that stand */
    char missing[TCI_WALL_TEXT_MAX]; /* names of the others and reasons, "" when all stand */
} tci_compile_wall;

/* Sets up privileges, dump and Landlock for the calling thread and those that it creates from
 * now on. */
void tci_compile_wall_close(tci_compile_wall *wall);
/* Allows no descriptors beside those up to `last`, which is the highest one in use. */
void tci_compile_wall_limit(tci_compile_wall *wall, int last);
/* Sets the filter for all threads; `socket` and `statm` as in compile_filter.h. Called after
 * tci_compile_wall_close. */
void tci_compile_wall_filter(tci_compile_wall *wall, int socket, int statm);

/* Writes "no_new_privs, ...", the names of a set of parts, to text of TCI_WALL_TEXT_MAX
 * bytes. */
const char *tci_compile_wall_names(uint32_t parts, char text[TCI_WALL_TEXT_MAX]);

#endif
