/* Compresses at the source with zlib, unpacks at the target and hashes with OpenSSL. */
#include <openssl/sha.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

typedef struct parcel_result {
    size_t size;
    unsigned char digest[SHA256_DIGEST_LENGTH];
} parcel_result;

size_t parcel_payload_bound(void *source_args, size_t size)
{
    (void)source_args;
    return sizeof(size_t) + compressBound(size);
}

int parcel_payload_init(void *source_args, size_t size, void *payload, size_t *payload_size)
{
    uLongf packed = *payload_size - sizeof(size_t);
    memcpy(payload, &size, sizeof size);
    if (compress((Bytef *)payload + sizeof size, &packed, source_args, size) != Z_OK)
        return 1;
    *payload_size = sizeof size + packed;
    return 0;
}

void parcel_main(void *payload, size_t payload_size, void *target_args)
{
    static unsigned char text[1 << 16];
    parcel_result *result = target_args;
    uLongf size = sizeof text;
    result->size = 0;
    if (uncompress(text, &size, (const Bytef *)payload + sizeof(size_t),
                   payload_size - sizeof(size_t)) != Z_OK)
        return;
    SHA256(text, size, result->digest);
    result->size = size;
}
