/* What a process that compiles takes from itself once it is ready, so that a compiler that was
 * taken over by the code that it compiles reaches nothing but its parent's socket.
 *
 * None of it can be taken back, by the process or by what it starts. Each part is there or not,
 * as the kernel has it: whoever raises the wall says which parts stand, and somebody else
 * decides whether these are enough. */
#ifndef TCI_COMPILE_WALL_H
#define TCI_COMPILE_WALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tci_compile_wall_part {
    TCI_WALL_PRIVILEGES = 1u,  /* no program that it starts could have more rights */
    TCI_WALL_DUMP = 2u,        /* its memory is no other process's of the same user */
    TCI_WALL_DESCRIPTORS = 4u, /* it gets no descriptor beside those that it has */
    TCI_WALL_LANDLOCK = 8u,    /* no files; no TCP, no signals to others where the kernel can */
    TCI_WALL_SYSTEM_CALLS = 16u /* seccomp: the calls of compile_filter.h alone */
} tci_compile_wall_part;

#define TCI_WALL_PARTS 5u
#define TCI_WALL_ALL 31u
#define TCI_WALL_TEXT_MAX 256u

typedef struct tci_compile_wall {
    uint32_t parts;                  /* that stand */
    char missing[TCI_WALL_TEXT_MAX]; /* names of the others and why, "" when all stand */
} tci_compile_wall;

/* Privileges, dump and Landlock, of the calling thread and those that it makes from now on. */
void tci_compile_wall_close(tci_compile_wall *wall);
/* No descriptors beside those up to `last`, which is the highest one in use. */
void tci_compile_wall_limit(tci_compile_wall *wall, int last);
/* The filter, for all threads; `socket` and `statm` as compile_filter.h has them. After
 * tci_compile_wall_close. */
void tci_compile_wall_filter(tci_compile_wall *wall, int socket, int statm);

/* "no_new_privs, ..." of a set of parts, in text of TCI_WALL_TEXT_MAX bytes. */
const char *tci_compile_wall_names(uint32_t parts, char text[TCI_WALL_TEXT_MAX]);

#endif
