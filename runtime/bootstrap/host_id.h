/* Identifies the kernel and the namespaces that this process lives in. */
#ifndef TCI_HOST_ID_H
#define TCI_HOST_ID_H

#include <stdint.h>

#define TCI_HOST_ID_BYTES 16u

/* Returns a hash of the kernel's boot id and of the process's pid and ipc namespaces. Equal
 * ids: a pid of one process means the same to the other, so kill(pid, 0) finds out if it lives.
 * Without this information in /proc the id is drawn at random and equals no other: a peer is
 * then never mistaken for a local one. Called once per context. Never fails. */
void tci_host_id(uint8_t id_out[TCI_HOST_ID_BYTES]);

#endif
