/* A list of code and keys, as the options code_allow and code_revoked name one by `@FILE`: one
 * hexadecimal number per line, whose length says what it is. Lines that are empty or begin with
 * '#' are comments. */
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

/* All zero is an empty one. */
typedef struct tci_id_list {
    tci_id *ids; /* sorted */
    size_t count;
} tci_id_list;

/* TC_E_INVALID: a line that is none of the above; the text has its number. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_id_list_parse(const char *text, size_t size, tci_id_list *list_out,
                                          tc_error *err);

/* Reads what `option`, "@FILE" or "", names. Also statuses of tci_file_guard_read; and
 * TC_E_INVALID: it begins with no '@'. */
TC_MUST_CHECK tc_status tci_id_list_read(const char *option, tci_id_list *list_out,
                                         tc_error *err);

void tci_id_list_free(tci_id_list *list);

/* Key ids as they lie in files; other kinds have one order of bytes. */
bool tci_id_list_has(const tci_id_list *list, tci_id_kind kind, const uint8_t *bytes);

#endif
