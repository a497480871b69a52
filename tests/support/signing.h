/* Keys, and a folder of trusted ones, for tests of signed code. */
#ifndef SIGNING_H
#define SIGNING_H

#include "base/minisign_secret.h"

#include <tc/ifunc.h>

typedef struct signing {
    char folder[64]; /* everything below lies in here */
    char trust[80];  /* for the option of that name */
    char list[80];   /* "@FILE" of signing_list */
    tci_minisign_secret alice, mallory;
} signing;

/* A folder without trusted keys yet. XDG_CONFIG_HOME is there, too. */
void signing_make(signing *s);
void signing_remove(signing *s);

/* Writes NAME.pub with these lines behind the key ("" for none), and removes it. */
void signing_trust(const signing *s, const char *name, const tci_minisign_secret *key,
                   const char *lines);
void signing_distrust(const signing *s, const char *name);
/* Writes the file of s->list. */
void signing_list(const signing *s, const char *text);

/* The signature by `key` of the archive in TC_IFUNC_PATH with that name. */
void signing_sign(const tci_minisign_secret *key, const char *function,
                  char text_out[TCI_MINISIGN_SIGNATURE_TEXT]);
/* Opens it with that signature, or one that the test made of it; NULL: without one. */
tc_ifunc *signing_open(tc_context *ctx, const char *function, const char *signature);
tc_status signing_try_open(tc_context *ctx, const char *function, const char *signature,
                           tc_ifunc **fn_out, tc_error *err);

/* Signs and opens. */
tc_ifunc *signing_open_by(tc_context *ctx, const char *function,
                          const tci_minisign_secret *key);

#endif
