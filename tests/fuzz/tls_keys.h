/* Credentials with keys for fuzzers, of the TLS module's own objects, and random numbers of
 * OpenSSL's that are the same for each input. */
#ifndef TC_FUZZ_TLS_KEYS_H
#define TC_FUZZ_TLS_KEYS_H

#include "bootstrap/credentials.h"

/* Made of these, for the life of the process. */
void tls_keys_create(const tci_tls_key *keys, size_t count, tci_credentials *out);
void tls_keys_restart_random(void);

#endif
