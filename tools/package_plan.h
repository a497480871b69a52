/* The plan of a package: a folder's sources, as listed in its manifest or as they are found. */
#ifndef PACKAGE_PLAN_H
#define PACKAGE_PLAN_H

#include "package_format.h"

#define PACKAGE_MANIFEST "package.txt"
#define PACKAGE_SOURCES_MAX 32

typedef struct package_part {
    tci_package_element element;        /* as in the file to write; its bytes are owned here */
    char *sources[PACKAGE_SOURCES_MAX]; /* paths; one archive, or sources */
    size_t source_count;
    char *uses[PACKAGE_SOURCES_MAX]; /* libraries that travel */
    size_t use_count;
    char *takes;      /* type of the senders' arguments; NULL: bytes */
    bool takes_many;  /* senders pass an array of it */
    unsigned entries; /* TCI_ENTRY_ bits of its archive */
} package_part;

typedef struct package_plan {
    char folder[4096];
    char name[TCI_ARCHIVE_NAME_MAX];
    char *includes[PACKAGE_SOURCES_MAX]; /* of the generated header */
    size_t include_count;
    package_part parts[TCI_PACKAGE_ELEMENTS_MAX]; /* in the order of their ids */
    size_t count;
    bool has_manifest;
} package_plan;

/* Reads the folder. Without `name`, the name is the manifest's, or the folder's. Statuses:
 * TC_E_INVALID, TC_E_NOT_FOUND, TC_E_IO, TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status package_plan_create(const char *folder, const char *name,
                                            package_plan **plan_out, tc_error *err);
void package_plan_destroy(package_plan *plan);

/* Adds a part without sources. Returns NULL if the plan is full; err has the reason. */
package_part *package_plan_add(package_plan *plan, tci_element_kind kind, const char *name,
                               uint32_t id, tc_error *err);

/* Adds a source by its path, which is absolute or below the folder. */
TC_MUST_CHECK tc_status package_plan_add_source(const package_plan *plan, package_part *part,
                                                const char *file, tc_error *err);

/* Adds a library that the part uses. */
TC_MUST_CHECK tc_status package_plan_add_use(package_part *part, const char *library,
                                             tc_error *err);

/* Returns whether the part comes as a ready-made archive. */
bool package_plan_is_archive(const package_part *part);

#endif
