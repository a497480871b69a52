#include "oci_writer.h"

#include "base/error_text.h"
#include "oci_blob.h"
#include "oci_reference.h"
#include "tool_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct addition {
    oci_reference at;
    const char *name;
    const char *content_id;
    const void *bytes;
    size_t size;
} addition;

static tc_status make_folder(const char *folder, const char *below, tc_error *err)
{
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s%s", folder, below);
    if (size < 0 || (size_t)size >= sizeof path)
        return tci_error_set(err, TC_E_INVALID, "path too long");
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    return TC_OK;
}

static tc_status write_file(const char *folder, const char *name, const char *text,
                            tc_error *err)
{
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (size < 0 || (size_t)size >= sizeof path)
        return tci_error_set(err, TC_E_INVALID, "path too long");
    if (!tool_file_write(path, text, strlen(text)))
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    return TC_OK;
}

/* Checks the layout that is there, or makes an empty one. */
static tc_status begin(const char *folder, tc_error *err)
{
    void *bytes;
    size_t size;
    TC_TRY(make_folder(folder, "", err));
    TC_TRY(make_folder(folder, "/blobs", err));
    TC_TRY(make_folder(folder, "/blobs/sha256", err));
    tc_status status = oci_blob_file(folder, "oci-layout", OCI_JSON_MAX, &bytes, &size, err);
    if (status == TC_E_NOT_FOUND)
        return write_file(folder, "oci-layout", OCI_LAYOUT_FILE, err);
    if (status == TC_OK) {
        status = oci_json_layout(bytes, size, err);
        free(bytes);
    }
    return status;
}

static tc_status write_index(const addition *a, const oci_descriptor *manifest, tc_error *err)
{
    void *before = NULL;
    size_t size = 0;
    char *index = NULL;
    tc_status status =
        oci_blob_file(a->at.folder, "index.json", OCI_JSON_MAX, &before, &size, err);
    if (status != TC_OK && status != TC_E_NOT_FOUND)
        return status;
    status = oci_json_add(before, size, a->at.tag, manifest, &index, err);
    free(before);
    if (status == TC_OK)
        status = write_file(a->at.folder, "index.json", index, err);
    free(index);
    return status;
}

static tc_status add(const addition *a, tc_error *err)
{
    oci_descriptor package, config, manifest;
    char *text;
    TC_TRY(begin(a->at.folder, err));
    TC_TRY(oci_blob_write(a->at.folder, a->bytes, a->size, &package, err));
    TC_TRY(oci_blob_write(a->at.folder, "{}", 2, &config, err));
    TC_TRY(oci_json_make(a->name, a->content_id, &config, &package, &text, err));
    tc_status status = oci_blob_write(a->at.folder, text, strlen(text), &manifest, err);
    free(text);
    return status == TC_OK ? write_index(a, &manifest, err) : status;
}

tc_status oci_writer_add(const char *reference, const char *name, const char *content_id,
                         const void *bytes, size_t size, tc_error *err)
{
    addition a = {.name = name, .content_id = content_id, .bytes = bytes, .size = size};
    tc_status status = oci_reference_parse(reference, &a.at, err);
    if (a.at.tag[0] == '\0')
        memcpy(a.at.tag, OCI_TAG_DEFAULT, sizeof OCI_TAG_DEFAULT);
    if (status == TC_OK)
        status = add(&a, err);
    if (status != TC_OK)
        tci_error_prefix(err, "oci:%s", reference);
    return status;
}
