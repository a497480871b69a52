/* Keys of worlds: key files, and the TLS module among the program's own objects. Its records
 * have the same sizes in each run, and the trace does not cover their bytes, so OpenSSL's
 * random numbers change no hash. Without OpenSSL the program has no keys. */
#ifndef SIM_KEYS_H
#define SIM_KEYS_H

#include <stdbool.h>
#include <tc/sim.h>

/* Returns whether the program was built with OpenSSL. */
bool keys_are_there(void);

typedef enum keys_kind {
    KEYS_OF_WORLD,   /* the one that nodes share */
    KEYS_OTHER_NAME, /* another key */
    KEYS_OTHER_BYTES /* another key of the same name */
} keys_kind;

/* Writes the key files, which are deleted when the program ends. Once. */
void keys_prepare(void);
/* The path of a key's file. */
const char *keys_file(keys_kind kind);

/* Returns how many TLS objects a node has left that has ended; 0 for one that was killed. */
unsigned keys_left(const tc_sim_node *node);
/* Frees those of nodes that were killed; for the end of a world. */
void keys_forget(void);

#endif
