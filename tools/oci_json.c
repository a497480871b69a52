/* How the JSON is read: jansson parses the whole, of bounded size, into a tree. Each function
 * then takes the members that it needs and checks the kind, the form and the limit of each;
 * members that it does not know are passed over. A descriptor leaves this file only with a
 * digest that can be a file's name and a size that is allowed. Texts of the document that get
 * into an error are cut, and made printable by tci_error_set.
 *
 * Writing goes the other way: an index is changed as a tree, so whatever other tools have put
 * into it stays. */
#include "oci_json.h"

#include "base/error_text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define HEX "0123456789abcdef"

/* --- parts -------------------------------------------------------------------------------- */

static const char *text_or(const json_t *value, const char *otherwise)
{
    const char *text = json_string_value(value);
    return text != NULL ? text : otherwise;
}

static tc_status parse(const void *bytes, size_t size, const char *what, json_t **object_out,
                       tc_error *err)
{
    json_error_t reason;
    if (size > OCI_JSON_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "%s: %zu bytes, limit %u", what, size,
                             OCI_JSON_MAX);
    json_t *object = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &reason);
    if (!json_is_object(object)) {
        json_decref(object);
        return tci_error_set(err, TC_E_CORRUPT, "%s: %s, expected a JSON object", what,
                             object == NULL ? reason.text : "another JSON value");
    }
    *object_out = object;
    return TC_OK;
}

static bool is_digest(const char *text)
{
    return strlen(text) == OCI_DIGEST_TEXT - 1 && memcmp(text, "sha256:", 7) == 0 &&
           strspn(text + 7, HEX) == 64;
}

static tc_status read_descriptor(const json_t *value, const char *what, uint64_t size_max,
                                 oci_descriptor *out, tc_error *err)
{
    const char *digest = text_or(json_object_get(value, "digest"), "none");
    const json_t *size = json_object_get(value, "size");
    if (!is_digest(digest))
        return tci_error_set(err, TC_E_CORRUPT,
                             "%s: its digest is '%.80s', expected sha256: and 64 digits", what,
                             digest);
    if (!json_is_integer(size) || json_integer_value(size) < 1)
        return tci_error_set(err, TC_E_CORRUPT, "%s: its size is no number above 0", what);
    if ((uint64_t)json_integer_value(size) > size_max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "%s: its size is %" JSON_INTEGER_FORMAT ", limit %llu", what,
                             json_integer_value(size), (unsigned long long)size_max);
    memcpy(out->digest, digest, OCI_DIGEST_TEXT);
    out->size = (uint64_t)json_integer_value(size);
    return TC_OK;
}

static tc_status check_version(const json_t *object, const char *what, tc_error *err)
{
    const json_t *version = json_object_get(object, "schemaVersion");
    if (!json_is_integer(version) || json_integer_value(version) != 2)
        return tci_error_set(err, TC_E_VERSION, "%s: its schemaVersion is not 2", what);
    return TC_OK;
}

static tc_status check_count(const json_t *array, const char *what, tc_error *err)
{
    if (!json_is_array(array))
        return tci_error_set(err, TC_E_CORRUPT, "%s is no array", what);
    if (json_array_size(array) > OCI_ENTRIES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "%s: %zu entries, limit %d", what,
                             json_array_size(array), OCI_ENTRIES_MAX);
    return TC_OK;
}

/* --- reading ------------------------------------------------------------------------------ */

tc_status oci_json_layout(const void *bytes, size_t size, tc_error *err)
{
    json_t *layout;
    TC_TRY(parse(bytes, size, "oci-layout", &layout, err));
    const char *version = text_or(json_object_get(layout, "imageLayoutVersion"), "none");
    tc_status status = TC_OK;
    if (strcmp(version, "1.0.0") != 0)
        status = tci_error_set(err, TC_E_VERSION,
                               "oci-layout: its version is '%.40s', expected '1.0.0'", version);
    json_decref(layout);
    return status;
}

static const char *tag_of(const json_t *manifest)
{
    const json_t *annotations = json_object_get(manifest, "annotations");
    return text_or(json_object_get(annotations, OCI_TAG_ANNOTATION), "");
}

static tc_status no_tag(const json_t *manifests, const char *tag, tc_error *err)
{
    char found[160] = "";
    size_t i, used = 0;
    const json_t *manifest;
    json_array_foreach(manifests, i, manifest)
    {
        if (used < sizeof found - 1)
            used += (size_t)snprintf(found + used, sizeof found - used, "%s%s",
                                     i > 0 ? ", " : "", tag_of(manifest));
    }
    return tci_error_set(err, TC_E_NOT_FOUND, "index.json has no tag '%s'; it has: %s", tag,
                         used > 0 ? found : "none");
}

static tc_status choose(const json_t *manifests, const char *tag, const json_t **out,
                        tc_error *err)
{
    size_t i;
    const json_t *manifest;
    TC_TRY(check_count(manifests, "index.json: manifests", err));
    if (*tag == '\0' && json_array_size(manifests) != 1)
        return tci_error_set(err, TC_E_INVALID,
                             "index.json has %zu manifests, expected one, or DIR:TAG",
                             json_array_size(manifests));
    json_array_foreach(manifests, i, manifest)
    {
        if (*tag == '\0' || strcmp(tag_of(manifest), tag) == 0) {
            *out = manifest;
            return TC_OK;
        }
    }
    return no_tag(manifests, tag, err);
}

static tc_status read_index(const json_t *index, const char *tag, oci_descriptor *out,
                            tc_error *err)
{
    const json_t *manifest = NULL;
    TC_TRY(check_version(index, "index.json", err));
    TC_TRY(choose(json_object_get(index, "manifests"), tag, &manifest, err));
    const char *type = text_or(json_object_get(manifest, "mediaType"), "none");
    if (strcmp(type, OCI_TYPE_MANIFEST) != 0)
        return tci_error_set(err, TC_E_VERSION,
                             "index.json: the mediaType is '%.80s', expected '%s'", type,
                             OCI_TYPE_MANIFEST);
    return read_descriptor(manifest, "index.json", OCI_JSON_MAX, out, err);
}

tc_status oci_json_index(const void *bytes, size_t size, const char *tag,
                         oci_descriptor *manifest_out, tc_error *err)
{
    json_t *index;
    TC_TRY(parse(bytes, size, "index.json", &index, err));
    tc_status status = read_index(index, tag, manifest_out, err);
    json_decref(index);
    return status;
}

static tc_status read_manifest(const json_t *manifest, oci_descriptor *out, tc_error *err)
{
    size_t i, found = 0;
    const json_t *layer, *layers = json_object_get(manifest, "layers"), *package = NULL;
    TC_TRY(check_version(manifest, "manifest", err));
    const char *type = text_or(json_object_get(manifest, "artifactType"), "none");
    if (strcmp(type, OCI_TYPE_ARTIFACT) != 0)
        return tci_error_set(err, TC_E_VERSION,
                             "manifest: the artifactType is '%.80s', expected '%s'", type,
                             OCI_TYPE_ARTIFACT);
    TC_TRY(check_count(layers, "manifest: layers", err));
    json_array_foreach(layers, i, layer)
    {
        if (strcmp(text_or(json_object_get(layer, "mediaType"), ""), OCI_TYPE_PACKAGE) != 0)
            continue;
        package = layer;
        found++;
    }
    if (found != 1)
        return tci_error_set(err, TC_E_CORRUPT,
                             "manifest: it has %zu layers of '%s', expected one", found,
                             OCI_TYPE_PACKAGE);
    return read_descriptor(package, "manifest", OCI_PACKAGE_MAX, out, err);
}

tc_status oci_json_manifest(const void *bytes, size_t size, oci_descriptor *package_out,
                            tc_error *err)
{
    json_t *manifest;
    TC_TRY(parse(bytes, size, "manifest", &manifest, err));
    tc_status status = read_manifest(manifest, package_out, err);
    json_decref(manifest);
    return status;
}

/* --- writing ------------------------------------------------------------------------------ */

static tc_status dumped(json_t *object, char **text_out, tc_error *err)
{
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (text == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for JSON");
    *text_out = text;
    return TC_OK;
}

static void remove_tag(json_t *manifests, const char *tag)
{
    for (size_t i = json_array_size(manifests); i-- > 0;) {
        if (strcmp(tag_of(json_array_get(manifests, i)), tag) == 0)
            (void)json_array_remove(manifests, i);
    }
}

static tc_status add_to(json_t *index, const char *tag, const oci_descriptor *manifest,
                        tc_error *err)
{
    json_t *manifests = json_object_get(index, "manifests");
    TC_TRY(check_version(index, "index.json", err));
    TC_TRY(check_count(manifests, "index.json: manifests", err));
    remove_tag(manifests, tag);
    if (json_array_size(manifests) == OCI_ENTRIES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "index.json has %d manifests already",
                             OCI_ENTRIES_MAX);
    json_t *entry =
        json_pack("{ss ss ss sI s{ss}}", "mediaType", OCI_TYPE_MANIFEST, "artifactType",
                  OCI_TYPE_ARTIFACT, "digest", manifest->digest, "size",
                  (json_int_t)manifest->size, "annotations", OCI_TAG_ANNOTATION, tag);
    if (json_array_append_new(manifests, entry) != 0)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for index.json");
    return TC_OK;
}

tc_status oci_json_add(const void *before, size_t size, const char *tag,
                       const oci_descriptor *manifest, char **index_out, tc_error *err)
{
    json_t *index;
    if (before != NULL)
        TC_TRY(parse(before, size, "index.json", &index, err));
    else
        index = json_pack("{si ss s[]}", "schemaVersion", 2, "mediaType", OCI_TYPE_INDEX,
                          "manifests");
    if (index == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for index.json");
    tc_status status = add_to(index, tag, manifest, err);
    if (status != TC_OK) {
        json_decref(index);
        return status;
    }
    return dumped(index, index_out, err);
}

tc_status oci_json_make(const char *name, const char *content_id, const oci_descriptor *config,
                        const oci_descriptor *package, char **manifest_out, tc_error *err)
{
    char title[128];
    (void)snprintf(title, sizeof title, "%s.tcp", name);
    json_t *manifest = json_pack(
        "{si ss ss s{ss ss sI} s[{ss ss sI s{ss}}] s{ss ss}}", "schemaVersion", 2, "mediaType",
        OCI_TYPE_MANIFEST, "artifactType", OCI_TYPE_ARTIFACT, "config", "mediaType",
        OCI_TYPE_EMPTY, "digest", config->digest, "size", (json_int_t)config->size, "layers",
        "mediaType", OCI_TYPE_PACKAGE, "digest", package->digest, "size",
        (json_int_t)package->size, "annotations", OCI_TITLE_ANNOTATION, title, "annotations",
        OCI_TITLE_ANNOTATION, name, "vnd.three-chains.package.id", content_id);
    return dumped(manifest, manifest_out, err);
}
