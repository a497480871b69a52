/* Tracks the code of the process behind a remote key, as far as its sender knows it.
 *
 * The word that a target leaves in a slot reports this (ifunc_frame.h, KNOWN), but a program
 * may clear its slots, and one that divides its memory again for each size of messages leaves
 * the words where no slot begins any more. So a sender also remembers the code that it has
 * sent: a message with code that is no longer in its slot was taken out by the target, which
 * then has the code for as long as it lives.
 *
 * A key's address may come back as that of another process's key. Therefore the calls that make
 * and destroy keys are this library's own, and nothing is remembered of a key that was not made
 * by its call: the code is then sent whenever the word does not report that it is there. */
#ifndef TCI_REMOTE_CODE_H
#define TCI_REMOTE_CODE_H

#include "known_code.h"

#include <stdbool.h>

/* For any thread, but for one key only as far as UCX allows it to use that key. */
bool tci_remote_code_is_there(ucp_rkey_h rkey, const tci_known_code *code);
/* Records that a message with code was stored in `slot`, which is mapped here, with that
 * word. */
void tci_remote_code_sent(ucp_rkey_h rkey, const tci_known_code *code, const void *slot,
                          uint64_t word);

/* Functions that programs call by UCX's names. */
TC_API ucs_status_t tci_remote_code_unpack_key(
    ucp_ep_h ep, const void *packed, ucp_rkey_h *rkey_out) __asm__("ucp_ep_rkey_unpack");
TC_API void tci_remote_code_destroy_key(ucp_rkey_h rkey) __asm__("ucp_rkey_destroy");

#endif
