/* The files of a build: their paths, the temporary ones, and the results. */
#ifndef PACKAGE_OUTPUT_H
#define PACKAGE_OUTPUT_H

#include "package_plan.h"

#include <limits.h>

/* How a package is built; NULL where the command line has no value. */
typedef struct package_wish {
    const char *folder;
    const char *name;
    const char *output; /* NAME.tcp */
    const char *header; /* NAME.h beside it */
    const char *local;  /* libNAME-local.so beside it */
    const char *rules;  /* for make */
    const char *oci;    /* DIR[:TAG] of an OCI image layout */
    const char *clang;
    const char *cc;
    char **flags; /* for both compilers */
    int flag_count;
    bool no_local;
    bool json;
    bool quiet;
} package_wish;

typedef struct package_output {
    char package[PATH_MAX];
    char header[PATH_MAX];
    char local[PATH_MAX];
    char scratch[PATH_MAX]; /* a temporary folder of this build; "": none yet */
} package_output;

/* Settles the paths and makes the temporary folder. Statuses: TC_E_INVALID (a path is too
 * long), TC_E_IO. */
TC_MUST_CHECK tc_status package_output_begin(const package_wish *wish, const package_plan *plan,
                                             package_output *output_out, tc_error *err);
/* Removes the temporary folder and its files. */
void package_output_end(const package_output *output);

/* Writes the path of a file in the temporary folder, NAME and SUFFIX; "" if it is too long. */
void package_output_path(const package_output *output, const char *name, const char *suffix,
                         char path_out[PATH_MAX]);

/* Writes a rule for make, if one is wanted: the package needs the files from which its
 * functions were compiled. */
TC_MUST_CHECK tc_status package_output_rules(const package_wish *wish, const package_plan *plan,
                                             const package_output *output, tc_error *err);

#endif
