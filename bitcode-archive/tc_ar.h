/* The commands of tc-ar. Each takes its own arguments with argv[0] the command's name, prints
 * its errors and --help, and returns the exit status: 0, 1 for a file that cannot be used, 2
 * for a command line that cannot. */
#ifndef TCI_TC_AR_H
#define TCI_TC_AR_H

#include "archive.h"

enum { TCI_AR_OK = 0, TCI_AR_FAILED = 1, TCI_AR_USAGE = 2 };

int tci_ar_list(int argc, char **argv);
int tci_ar_show(int argc, char **argv);
int tci_ar_extract(int argc, char **argv);
int tci_ar_verify(int argc, char **argv);
int tci_ar_keygen(int argc, char **argv);
int tci_ar_sign(int argc, char **argv);
int tci_ar_digest(int argc, char **argv);

/* An archive file, opened. */
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

/* "tc-ar: TEXT" on stderr; returns TCI_AR_FAILED. */
int tci_ar_report(const tc_error *err);

/* The usage on stderr behind a line on what is wrong with the arguments; returns TCI_AR_USAGE.
 */
int tci_ar_misused(const char *usage, const char *fmt, ...) TC_PRINTF(2, 3);

/* What getopt_long said about an option is on stderr already. TCI_AR_OK after --help, else
 * TCI_AR_USAGE. */
int tci_ar_help_or_misused(const char *usage, int option);

/* `tc-ar create NAME a.bc b.bc -o NAME.tca`: packs bitcode that any LLVM language made. The one
 * command that needs LLVM, so a build without it leaves it out. */
int tci_ar_create(int argc, char **argv);

/* Lines, indented; with `all` one for each relocation too. An image that cannot be read gets a
 * line that says why. */
void tci_ar_print_image(const tci_archive *archive, size_t index, bool all);

/* ,"image":{...} behind the other members of a slice's object; "error" in it when the image
 * cannot be read. */
void tci_ar_print_image_json(const tci_archive *archive, size_t index, bool all);

/* Text from a file, as a JSON string: names need not be UTF-8, so a byte above 0x7f stands as
 * the character of that number. */
void tci_ar_print_json_text(const char *text, size_t length);

/* Text from a file, for a terminal (base/printable.h). */
void tci_ar_print_clean(const char *text, size_t length);

#endif
