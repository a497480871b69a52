/* The .tcp package: several archives under one content id. docs/package-format.md is the
 * specification.
 *
 * tci_package_open checks every byte of the package itself but not the archives in it: those
 * are checked by archive.h and the registry of functions. */
#ifndef TCI_PACKAGE_FORMAT_H
#define TCI_PACKAGE_FORMAT_H

#include "archive.h"
#include "base/content_id.h"

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_PACKAGE_MAGIC "TCP"
#define TCI_PACKAGE_MAGIC_SIZE 3u
#define TCI_PACKAGE_VERSION 1u
#define TCI_PACKAGE_ID_SIZE 16u
#define TCI_PACKAGE_ELEMENTS_MAX 256u
#define TCI_PACKAGE_ELEMENT_ID_MAX 65535u
#define TCI_PACKAGE_DEPS_MAX 65536u
#define TCI_PACKAGE_SIGNATURE_MAX 16384u
#define TCI_PACKAGE_BYTES_MAX (272u << 20)

typedef enum tci_element_kind {
    TCI_ELEMENT_FUNCTION = 1,
    TCI_ELEMENT_LIBRARY = 2
} tci_element_kind;

typedef struct tci_package_element {
    char name[TCI_ARCHIVE_NAME_MAX]; /* a C identifier: its archive's name */
    uint32_t id;                     /* 1 to TCI_PACKAGE_ELEMENT_ID_MAX */
    tci_element_kind kind;
    const uint8_t *archive;
    size_t archive_size;   /* at least 1 */
    const char *deps;      /* a .deps file */
    size_t deps_size;      /* 0: no file */
    const char *signature; /* a .minisig file */
    size_t signature_size; /* 0: no file */
} tci_package_element;

typedef struct tci_package {
    char name[TCI_ARCHIVE_NAME_MAX]; /* a C identifier */
    tci_content_id id;
    size_t count;                  /* at least 1 */
    tci_package_element *elements; /* in ascending order of their ids */
} tci_package;

/* Returns views into `bytes`, which must outlive the package. TC_E_CORRUPT (err states the
 * location and the problem: also two elements with one id or name), TC_E_VERSION (a newer
 * format, or a kind of element that this library does not know), TC_E_TOO_LARGE (a limit
 * above), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_package_open(const void *bytes, size_t size,
                                         tci_package *package_out, tc_error *err);
void tci_package_close(tci_package *package);

/* Checks the rules for a package, for its reader and its writer: names, kinds, ids in ascending
 * order, no name twice, limits. Returns `failure` with a text in err, or TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_package_check(const tci_package *package, tc_status failure,
                                          tc_error *err);

/* Returns the bytes of a package, for free(); sets its id. TC_E_INVALID (tci_package_check),
 * TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_package_write(tci_package *package, void **bytes_out,
                                          size_t *size_out, tc_error *err);

#endif
