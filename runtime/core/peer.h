/* The peer at the other end of an endpoint, as its HELLO described it. */
#ifndef TCI_PEER_H
#define TCI_PEER_H

#include "wire/hello.h"

typedef struct tci_peer {
    bool said_bye;
    struct tc_error *gave_up; /* its reason for ending with messages under way; or NULL */
    uint64_t pid;             /* 0: not on this host */
    unsigned target;          /* number of `triple`, see archive_layout.h */
    uint32_t dictionaries;    /* bit i: the peer has our dictionary of index i */
    /* The identity that it has proved: "cert:CN=node7", "key:cluster", "job:1234.0",
     * "uid:1000"; "": it has proved nothing. Printable ASCII. */
    char identity[256];
    char triple[TCI_HELLO_TRIPLE_MAX + 1];
    char cpu[TCI_HELLO_CPU_MAX + 1];
    char library[16];
    char ucx[16];
    char llvm[16];
} tci_peer;

#endif
