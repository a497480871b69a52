/* The way from a tag to a package: oci-layout, index.json, the manifest's blob, the package's
 * blob. The index is the root: it is trusted as much as the folder's path. Each blob is read as
 * a whole, and its bytes are compared with size and digest before anything is parsed; so no
 * byte behind the index can be another than its writer meant. */
#include "oci_reader.h"

#include "base/error_text.h"
#include "oci_blob.h"
#include "oci_reference.h"

#include <stdlib.h>

static tc_status check_layout(const char *folder, tc_error *err)
{
    void *bytes;
    size_t size;
    TC_TRY(oci_blob_file(folder, "oci-layout", OCI_JSON_MAX, &bytes, &size, err));
    tc_status status = oci_json_layout(bytes, size, err);
    free(bytes);
    return status;
}

static tc_status find_manifest(const oci_reference *reference, oci_descriptor *manifest,
                               tc_error *err)
{
    void *bytes;
    size_t size;
    TC_TRY(oci_blob_file(reference->folder, "index.json", OCI_JSON_MAX, &bytes, &size, err));
    tc_status status = oci_json_index(bytes, size, reference->tag, manifest, err);
    free(bytes);
    return status;
}

static tc_status find_package(const char *folder, const oci_descriptor *manifest,
                              oci_descriptor *package, tc_error *err)
{
    void *bytes;
    TC_TRY(oci_blob_read(folder, manifest, &bytes, err));
    tc_status status = oci_json_manifest(bytes, (size_t)manifest->size, package, err);
    free(bytes);
    return status;
}

static tc_status read_package(const oci_reference *reference, void **bytes_out,
                              size_t *size_out, tc_error *err)
{
    oci_descriptor manifest, package;
    TC_TRY(check_layout(reference->folder, err));
    TC_TRY(find_manifest(reference, &manifest, err));
    TC_TRY(find_package(reference->folder, &manifest, &package, err));
    TC_TRY(oci_blob_read(reference->folder, &package, bytes_out, err));
    *size_out = (size_t)package.size;
    return TC_OK;
}

tc_status oci_reader_read(const char *reference, void **bytes_out, size_t *size_out,
                          tc_error *err)
{
    oci_reference parts;
    tc_status status = oci_reference_parse(reference, &parts, err);
    if (status == TC_OK)
        status = read_package(&parts, bytes_out, size_out, err);
    if (status != TC_OK)
        tci_error_prefix(err, "oci:%s", reference);
    return status;
}
