/* A public key with trusted signatures, and its restrictions: a file NAME.pub of the folder
 * that the option trust names. It is minisign's format, with lines behind the key that minisign
 * ignores (docs/security.md):
 *
 *     names=count_*,sort       functions that it may sign; without: any
 *     forms=image              their forms that may run: image, bitcode; without: both
 *     not-after=2027-06-30     the last day, UTC, on which its signatures count */
#ifndef TCI_TRUSTED_KEY_H
#define TCI_TRUSTED_KEY_H

#include "base/minisign.h"
#include "ifunc/registry.h"

#define TCI_TRUSTED_NAMES_MAX 512

typedef struct tci_trusted_key {
    char name[TCI_SIGNER_MAX]; /* of its file, without .pub */
    tci_minisign_public public;
    char names[TCI_TRUSTED_NAMES_MAX]; /* patterns, separated by commas; "": any */
    tci_form_choice form;
    int64_t not_after; /* the first second that is too late, since 1970; 0: no end */
    char last_day[11]; /* "2027-06-30" */
} tci_trusted_key;

/* Parses a file's text; does not set `name` of key_out. Nothing unknown is ignored:
 * TC_E_CORRUPT (no such key), TC_E_INVALID (an option that is unknown, malformed or there
 * twice; the text has the line). */
TC_MUST_CHECK tc_status tci_trusted_key_parse(const char *text, size_t size,
                                              tci_trusted_key *key_out, tc_error *err);

/* Returns whether the key may sign a function of that name. */
bool tci_trusted_key_covers(const tci_trusted_key *key, const char *function);

/* `now` in seconds since 1970. */
bool tci_trusted_key_is_over(const tci_trusted_key *key, int64_t now);
/* Whole days that remain, for a key that ends and has not ended yet. */
int64_t tci_trusted_key_days(const tci_trusted_key *key, int64_t now);

#endif
