/* A list of code and keys, in a file that the options code_allow and code_revoked name by
 * `@FILE`: one hexadecimal number per line, with a length that determines its kind. Empty lines
 * and lines that begin with '#' are ignored. */
#ifndef TCI_ID_LIST_H
#define TCI_ID_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_ID_LIST_FILE_MAX (4u << 20)

typedef enum tci_id_kind {
    TCI_ID_KEY = 8,     /* 16 digits, as `tc-ar keygen` and minisign write it */
    TCI_ID_CODE = 16,   /* 32 digits: the content id that `tc-ar show` prints */
    TCI_ID_CONTENT = 32 /* 64 digits: the digest of the content that `tc-ar digest` prints */
} tci_id_kind;

typedef struct tci_id {
    uint8_t kind;
    uint8_t bytes[32];
} tci_id;

/* All zero is an empty list. */
typedef struct tci_id_list {
    tci_id *ids; /* sorted */
    size_t count;
} tci_id_list;

/* TC_E_INVALID: a line of another form; the text has its number. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_id_list_parse(const char *text, size_t size, tci_id_list *list_out,
                                          tc_error *err);

/* Reads the file that `option`, "@FILE" or "", names. Also statuses of tci_file_guard_read;
 * TC_E_INVALID: the option does not begin with '@'. */
TC_MUST_CHECK tc_status tci_id_list_read(const char *option, tci_id_list *list_out,
                                         tc_error *err);

void tci_id_list_free(tci_id_list *list);

/* Key ids have the byte order of files; the other kinds have only one order. */
bool tci_id_list_has(const tci_id_list *list, tci_id_kind kind, const uint8_t *bytes);

#endif
