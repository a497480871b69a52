/* The commands of tc-ar. Each takes its own arguments, prints its errors and --help, and
 * returns the exit status. */
#ifndef TCI_TC_AR_H
#define TCI_TC_AR_H

#include "archive.h"
#include "tool_options.h"
#include "tool_status.h"

/* Each command has its options, and a function that gets its own name as argv[0]. */
extern const tool_command tci_ar_list_command;
extern const tool_command tci_ar_show_command;
extern const tool_command tci_ar_extract_command;
extern const tool_command tci_ar_embed_command;
extern const tool_command tci_ar_verify_command;
extern const tool_command tci_ar_keygen_command;
extern const tool_command tci_ar_sign_command;
extern const tool_command tci_ar_digest_command;
int tci_ar_list(int argc, char **argv);
int tci_ar_show(int argc, char **argv);
int tci_ar_extract(int argc, char **argv);
int tci_ar_embed(int argc, char **argv);
int tci_ar_verify(int argc, char **argv);
int tci_ar_keygen(int argc, char **argv);
int tci_ar_sign(int argc, char **argv);
int tci_ar_digest(int argc, char **argv);
/* Packs bitcode that any LLVM language made. This is the only command that needs LLVM, so a
 * build without LLVM leaves it out. */
extern const tool_command tci_ar_create_command;
int tci_ar_create(int argc, char **argv);

/* An opened archive file. */
typedef struct tci_ar_input {
    const char *path;
    void *bytes;
    size_t size;
    tci_archive *archive;
} tci_ar_input;

/* Errors of the file and of the archive alike name the path. */
TC_MUST_CHECK tc_status tci_ar_input_open(const char *path, tci_ar_input *input_out,
                                          tc_error *err);
void tci_ar_input_close(tci_ar_input *input);

/* The list of libraries beside an archive: NAME.deps for NAME.tca. */
typedef struct tci_ar_deps {
    char *bytes; /* with a terminator; NULL when there is no file */
    size_t size;
} tci_ar_deps;

TC_MUST_CHECK tc_status tci_ar_deps_read(const char *archive_path, tci_ar_deps *deps_out,
                                         tc_error *err);
/* Returns the next nonempty line without its end; NULL after the last. Starts with *at = 0. */
const char *tci_ar_deps_next(const tci_ar_deps *deps, size_t *at, size_t *length_out);

/* Writes to a file, or to stdout for "-". TC_E_IO. */
TC_MUST_CHECK tc_status tci_ar_write_output(const char *path, const void *bytes, size_t size,
                                            tc_error *err);

/* Prints "tc-ar: TEXT" on stderr; returns TOOL_FAILED. */
int tci_ar_report(const tc_error *err);

/* Returns the TCI_ENTRY_ bits of callable entries: 0 for a library, because users do not call
 * its main. */
unsigned tci_ar_entries(const tci_archive *archive);

/* Prints indented lines; with `all` also one for each relocation. For an image that cannot be
 * read the line states the reason. */
void tci_ar_print_image(const tci_archive *archive, size_t index, bool all);

/* Prints ,"image":{...} after the other members of a slice's object; "error" in it when the
 * image cannot be read. */
void tci_ar_print_image_json(const tci_archive *archive, size_t index, bool all);

/* Prints text from a file safely for a terminal (base/printable.h). */
void tci_ar_print_clean(const char *text, size_t length);

#endif
