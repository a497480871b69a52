/* The JSON of an OCI image layout: its index, and the manifest of a package.
 *
 * Both come from outside. They are bounded in size, parsed by jansson, which refuses names that
 * come twice, and checked here alone. Whatever else they hold is passed over, as the
 * specification of OCI asks for. */
#ifndef OCI_JSON_H
#define OCI_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define OCI_JSON_MAX (1u << 20)      /* bytes of an index or a manifest */
#define OCI_PACKAGE_MAX (272u << 20) /* bytes of a package, as its format has it */
#define OCI_ENTRIES_MAX 1024         /* manifests of an index, layers of a manifest */
#define OCI_DIGEST_TEXT 72           /* "sha256:", 64 digits and a zero */

#define OCI_TYPE_INDEX "application/vnd.oci.image.index.v1+json"
#define OCI_TYPE_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define OCI_TYPE_EMPTY "application/vnd.oci.empty.v1+json"
#define OCI_TYPE_ARTIFACT "application/vnd.three-chains.package.v1"
#define OCI_TYPE_PACKAGE "application/vnd.three-chains.package.v1.tcp"
#define OCI_TAG_ANNOTATION "org.opencontainers.image.ref.name"
#define OCI_TITLE_ANNOTATION "org.opencontainers.image.title"
#define OCI_LAYOUT_FILE "{\"imageLayoutVersion\":\"1.0.0\"}"

/* A blob without its bytes. */
typedef struct oci_descriptor {
    char digest[OCI_DIGEST_TEXT]; /* "sha256:" and 64 digits */
    uint64_t size;
} oci_descriptor;

/* Checks the file oci-layout. Statuses: TC_E_CORRUPT, TC_E_VERSION. */
TC_MUST_CHECK tc_status oci_json_layout(const void *bytes, size_t size, tc_error *err);

/* Finds a manifest in an index: that with the tag, or with the tag "" the only one. Statuses:
 * TC_E_CORRUPT (no such JSON; err has the member), TC_E_NOT_FOUND (err has the tags that there
 * are), TC_E_INVALID (without a tag, and there are several), TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status oci_json_index(const void *bytes, size_t size, const char *tag,
                                       oci_descriptor *manifest_out, tc_error *err);

/* Finds the package in a manifest. Statuses: TC_E_CORRUPT, TC_E_VERSION (it is another kind of
 * artefact; err has both), TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status oci_json_manifest(const void *bytes, size_t size,
                                          oci_descriptor *package_out, tc_error *err);

/* Returns an index, malloc'ed, with a manifest under a tag: that of `before` without an earlier
 * manifest of the tag, or a new one if `before` is NULL. Statuses: TC_E_CORRUPT, TC_E_VERSION
 * (of `before`), TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status oci_json_add(const void *before, size_t size, const char *tag,
                                     const oci_descriptor *manifest, char **index_out,
                                     tc_error *err);

/* Returns the manifest of a package, malloc'ed. Status: TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status oci_json_make(const char *name, const char *content_id,
                                      const oci_descriptor *config,
                                      const oci_descriptor *package, char **manifest_out,
                                      tc_error *err);

#endif
