#include "oci_blob.h"

#include "base/error_text.h"
#include "tool_file.h"

#include <errno.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOBS "blobs/sha256/"

/* SHA-256 in libsodium needs no sodium_init. */
void oci_blob_describe(const void *bytes, size_t size, oci_descriptor *out)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    (void)crypto_hash_sha256(hash, bytes, size);
    memcpy(out->digest, "sha256:", 7);
    (void)sodium_bin2hex(out->digest + 7, sizeof out->digest - 7, hash, sizeof hash);
    out->size = size;
}

static tc_status make_path(const char *folder, const char *name, char path_out[PATH_MAX],
                           tc_error *err)
{
    int size = snprintf(path_out, PATH_MAX, "%s/%s", folder, name);
    if (size < 0 || size >= PATH_MAX)
        return tci_error_set(err, TC_E_INVALID, "path too long: %.80s...", folder);
    return TC_OK;
}

tc_status oci_blob_file(const char *folder, const char *name, size_t max, void **bytes_out,
                        size_t *size_out, tc_error *err)
{
    char path[PATH_MAX];
    TC_TRY(make_path(folder, name, path, err));
    const int reason = tool_file_read(path, max, bytes_out, size_out);
    switch (reason) {
    case 0:
        return TC_OK;
    case EFBIG:
        return tci_error_set(err, TC_E_TOO_LARGE, "%s: more than %zu bytes", path, max);
    case EINVAL:
        return tci_error_set(err, TC_E_IO, "%s: not a regular file", path);
    case ENOMEM:
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: no memory for it", path);
    case ENOENT:
    case ENOTDIR:
        return tci_error_errno(err, TC_E_NOT_FOUND, reason, "%s", path);
    default:
        return tci_error_errno(err, TC_E_IO, reason, "%s", path);
    }
}

static tc_status check(const char *name, const oci_descriptor *found,
                       const oci_descriptor *expected, tc_error *err)
{
    if (found->size != expected->size)
        return tci_error_set(err, TC_E_CORRUPT, "%s: it has %llu bytes, expected %llu", name,
                             (unsigned long long)found->size,
                             (unsigned long long)expected->size);
    if (strcmp(found->digest, expected->digest) != 0)
        return tci_error_set(err, TC_E_CORRUPT, "%s: its digest is %s, expected %s", name,
                             found->digest, expected->digest);
    return TC_OK;
}

static void name_of(const oci_descriptor *blob, char out[sizeof BLOBS + OCI_DIGEST_TEXT])
{
    (void)snprintf(out, sizeof BLOBS + OCI_DIGEST_TEXT, BLOBS "%s", blob->digest + 7);
}

tc_status oci_blob_read(const char *folder, const oci_descriptor *blob, void **bytes_out,
                        tc_error *err)
{
    char name[sizeof BLOBS + OCI_DIGEST_TEXT];
    void *bytes;
    size_t size;
    oci_descriptor found;
    name_of(blob, name);
    /* One byte more, so that a longer file is seen. */
    tc_status status = oci_blob_file(folder, name, (size_t)blob->size + 1, &bytes, &size, err);
    if (status == TC_E_TOO_LARGE)
        return tci_error_set(err, TC_E_CORRUPT, "%s: it has more than %llu bytes, as expected",
                             name, (unsigned long long)blob->size);
    if (status != TC_OK)
        return status;
    oci_blob_describe(bytes, size, &found);
    status = check(name, &found, blob, err);
    if (status != TC_OK) {
        free(bytes);
        return status;
    }
    *bytes_out = bytes;
    return TC_OK;
}

tc_status oci_blob_write(const char *folder, const void *bytes, size_t size,
                         oci_descriptor *out, tc_error *err)
{
    char name[sizeof BLOBS + OCI_DIGEST_TEXT], path[PATH_MAX];
    oci_blob_describe(bytes, size, out);
    name_of(out, name);
    TC_TRY(make_path(folder, name, path, err));
    if (!tool_file_write(path, bytes, size))
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    return TC_OK;
}
