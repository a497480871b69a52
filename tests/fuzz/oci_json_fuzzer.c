/* Any bytes as the JSON of an OCI image layout: the first byte chooses the layout file, an
 * index with and without a tag, a manifest, or an index that gets a tag. An accepted
 * descriptor has a digest that is a file's name, and a size within its limit; an index that
 * got a tag leads to it; a refusal has a status and a text. */
#include "../../tools/oci_json.h"
#include "fuzzer.h"

#include <string.h>

static void check_descriptor(const oci_descriptor *found, uint64_t size_max)
{
    MUST(strlen(found->digest) == OCI_DIGEST_TEXT - 1);
    MUST(strncmp(found->digest, "sha256:", 7) == 0);
    MUST(strspn(found->digest + 7, "0123456789abcdef") == 64);
    MUST(found->size >= 1 && found->size <= size_max);
}

static void check_refusal(tc_status status, const tc_error *err)
{
    MUST(err->status == status && err->text[0] != '\0');
    MUST(memchr(err->text, '\0', sizeof err->text) != NULL);
}

static tc_status try_add(const void *bytes, size_t size, tc_error *err)
{
    const oci_descriptor added = {
        "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 7};
    oci_descriptor found;
    char *index = NULL;
    tc_status status = oci_json_add(bytes, size, "v1", &added, &index, err);
    if (status != TC_OK)
        return status;
    if (strlen(index) <= OCI_JSON_MAX) {
        MUST(oci_json_index(index, strlen(index), "v1", &found, err) == TC_OK);
        MUST(strcmp(found.digest, added.digest) == 0 && found.size == added.size);
    }
    free(index);
    return TC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tc_error err = {.status = TC_OK};
    oci_descriptor found = {.size = 0};
    tc_status status;
    if (size == 0)
        return 0;
    const void *bytes = data + 1;
    switch (data[0] % 5) {
    case 0:
        status = oci_json_layout(bytes, size - 1, &err);
        break;
    case 1:
        status = oci_json_index(bytes, size - 1, "", &found, &err);
        break;
    case 2:
        status = oci_json_index(bytes, size - 1, "v1", &found, &err);
        break;
    case 3:
        status = oci_json_manifest(bytes, size - 1, &found, &err);
        break;
    default:
        status = try_add(bytes, size - 1, &err);
        break;
    }
    if (status != TC_OK)
        check_refusal(status, &err);
    else if (data[0] % 5 >= 1 && data[0] % 5 <= 3)
        check_descriptor(&found, data[0] % 5 == 3 ? OCI_PACKAGE_MAX : OCI_JSON_MAX);
    return 0;
}
