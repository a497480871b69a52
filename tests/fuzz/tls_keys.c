#include "tls_keys.h"

#include "fuzzer.h"

#define OPENSSL_SUPPRESS_DEPRECATED /* these are replaced by a provider of its own */
#include <openssl/rand.h>

extern const tci_tls_ops tci_tls_module;

static uint64_t state;

/* splitmix64, as its numbers need not be unpredictable */
static int fill(unsigned char *bytes, int size)
{
    for (int i = 0; i < size; i++) {
        state += 0x9e3779b97f4a7c15u;
        uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        bytes[i] = (unsigned char)(z ^ z >> 31);
    }
    return 1;
}

static int ready(void)
{
    return 1;
}

void tls_keys_create(const tci_tls_key *keys, size_t count, tci_credentials *out)
{
    static const RAND_METHOD same = {.bytes = fill, .pseudorand = fill, .status = ready};
    const tci_tls_material material = {.keys = keys, .key_count = count};
    char warning[TCI_TLS_WARNING_MAX];
    tc_error error;
    MUST(RAND_set_rand_method(&same) == 1);
    *out = (tci_credentials){.ops = &tci_tls_module, .patience_ns = 1};
    MUST(tci_tls_module.create(&material, &out->tls, warning, &error) == TC_OK);
}

void tls_keys_restart_random(void)
{
    state = 0;
}
