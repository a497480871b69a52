/* Any bytes, as a file of keys. An accepted file is the same when it is written out and read
 * again, and every name of it can be shown. */
#include "bootstrap/key_file.h"
#include "fuzzer.h"

#include <string.h>

static size_t write_out(const tci_key_file *file, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < file->count; i++) {
        n += (size_t)snprintf(out + n, size - n, "tchains-key %s ", file->keys[i].name);
        for (size_t j = 0; j < TCI_TLS_KEY_BYTES; j++)
            n += (size_t)snprintf(out + n, size - n, "%02x", file->keys[i].bytes[j]);
        n += (size_t)snprintf(out + n, size - n, "\n");
    }
    return n;
}

static void check(const tci_key_file *file)
{
    char text[TCI_KEY_FILE_KEYS_MAX * 256];
    tci_key_file again;
    size_t n = write_out(file, text, sizeof text);
    if (file->count == 0 || tci_key_file_parse(text, n, &again, NULL) != TC_OK ||
        again.count != file->count)
        abort();
    for (size_t i = 0; i < file->count; i++) {
        const tci_tls_key *one = &file->keys[i], *other = &again.keys[i];
        if (strcmp(one->name, other->name) != 0 ||
            memcmp(one->bytes, other->bytes, sizeof one->bytes) != 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_key_file file;
    tc_error err;
    if (tci_key_file_parse((const char *)data, size, &file, &err) == TC_OK)
        check(&file);
    return 0;
}
