/* The files of a build: where they lie, those on the way to it, and the results. */
#ifndef PACKAGE_OUTPUT_H
#define PACKAGE_OUTPUT_H

#include "package_plan.h"

#include <limits.h>

/* How a package is built; NULL where the command line says nothing. */
typedef struct package_wish {
    const char *folder;
    const char *name;
    const char *output; /* NAME.tcp */
    const char *header; /* NAME.h beside it */
    const char *local;  /* libNAME-local.so beside it */
    const char *rules;  /* for make */
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
    char scratch[PATH_MAX]; /* a folder of this build alone; "": none yet */
} package_output;

/* Makes the folder. TC_E_INVALID (a path is too long), TC_E_IO. */
TC_MUST_CHECK tc_status package_output_begin(const package_wish *wish, const package_plan *plan,
                                             package_output *output_out, tc_error *err);
/* Removes the folder and what is in it. */
void package_output_end(const package_output *output);

/* FOLDER/NAME.SUFFIX of the build's own folder. */
void package_output_path(const package_output *output, const char *name, const char *suffix,
                         char path_out[PATH_MAX]);

/* A rule for make: the package needs what its functions were compiled of. */
TC_MUST_CHECK tc_status package_output_rules(const package_wish *wish, const package_plan *plan,
                                             const package_output *output, tc_error *err);

#endif
