/* Who is at the other end of an endpoint, as its HELLO said. */
#ifndef TCI_PEER_H
#define TCI_PEER_H

#include "wire/hello.h"

typedef struct tci_peer {
    bool said_bye;
    struct tc_error *gave_up; /* it did, with messages under way, and said this; or NULL */
    uint64_t pid;             /* 0: not on this host */
    unsigned target;          /* number of `triple`, see archive_layout.h */
    uint32_t dictionaries;    /* bit i: the peer has the one of index i here */
    /* What it has proved: "cert:CN=node7", "key:cluster", "job:1234.0", "uid:1000"; "":
     * nothing. Printable ASCII. */
    char identity[256];
    char triple[TCI_HELLO_TRIPLE_MAX + 1];
    char cpu[TCI_HELLO_CPU_MAX + 1];
    char library[16];
    char ucx[16];
    char llvm[16];
} tci_peer;

#endif
