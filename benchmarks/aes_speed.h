/* The rate of AES-256-GCM by libcrypto, which seals connections, in one thread. */
#ifndef TC_PERF_AES_SPEED_H
#define TC_PERF_AES_SPEED_H

#include <stdbool.h>

/* The bytes of a full record of TLS. */
#define AES_SPEED_RECORD_BYTES 16384u

/* Seals 1 MB in full records, opens it, and again for a few milliseconds. Returns false if this
 * build has no OpenSSL. */
bool aes_speed_measure(double *seal_mb_per_s, double *open_mb_per_s);

#endif
