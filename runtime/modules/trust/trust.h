/* Decides which code may run here: the keys of the folder that the option trust names, and the
 * lists of code_allow and code_revoked. They are read once, and again on request. A file that
 * cannot be trusted is left out, so that a mistake can forbid code and never allow it. */
#ifndef TCI_TRUST_H
#define TCI_TRUST_H

#include "modules/trust/id_list.h"
#include "ifunc/trust_ops.h"
#include "modules/trust/trusted_key.h"

#define TCI_TRUST_KEYS_MAX 1024u
/* Names that are remembered, of all the keys that were there since the context was created. */
#define TCI_SIGNER_NAMES_MAX 16384u

/* Names of keys that signed something. Loader threads read them, so they stay. */
typedef struct tci_signer_name {
    struct tci_signer_name *next; /* bound: TCI_SIGNER_NAMES_MAX */
    char text[TCI_SIGNER_MAX];
} tci_signer_name;

typedef struct tci_trust {
    struct tci_trust_head head;
    tci_trusted_key *keys;
    size_t count;
    tci_id_list allowed; /* of code_allow, when `listed_only` */
    tci_id_list revoked;
    bool listed_only;
    tci_signature_choice required;
    const char *folder; /* the option's text */
    tci_signer_name *names;
} tci_trust;

/* A key that cannot be used is logged and left out, and so are two keys with one id.
 * TC_E_INVALID: the folder or a list cannot be trusted, or options contradict one another (a
 * signature is required, and there is no key); TC_E_NOT_FOUND, TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_trust_read(const struct tc_options *options, tci_trust *trust_out,
                                       tc_error *err);

/* Reads the same again. With any status but TC_OK, as above, no key is trusted from now on,
 * nothing is allowed if there is a list, and revoked code stays revoked. An empty folder is no
 * error here. */
TC_MUST_CHECK tc_status tci_trust_reload(const struct tc_options *options, tci_trust *trust,
                                         tc_error *err);

void tci_trust_free(tci_trust *trust);

/* Returns NULL if there is no such key. Also finds keys that have ended. */
const tci_trusted_key *tci_trust_find(const tci_trust *trust,
                                      const uint8_t id[TCI_KEY_ID_BYTES]);

/* Finds or makes a copy of the key's name that is valid as long as the registry. TC_E_REFUSED:
 * there are TCI_SIGNER_NAMES_MAX others; TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_trust_name(tci_trust *trust, const tci_trusted_key *key,
                                       const char **name_out, tc_error *err);

/* The registry has rules: the module is attached. */
static inline tci_trust *tci_trust_of(const tci_registry *registry)
{
    return (tci_trust *)(void *)registry->trust;
}

#endif
