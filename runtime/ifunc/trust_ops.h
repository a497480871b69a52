/* The socket of the module trust (core/module.h): signatures of code, and which code may run.
 * Without the module all code counts as unsigned, and all of it may run. */
#ifndef TCI_TRUST_OPS_H
#define TCI_TRUST_OPS_H

#include "ifunc/registry.h"

#include <time.h>

/* Every refusal is TC_E_REFUSED, and its text names the rule that the function breaks. */
typedef struct tci_trust_ops {
    /* Checks code that a peer has announced: code that is certain to be refused need not be
     * requested. */
    tc_status (*check_section)(const tci_registry *registry, const tci_code_section *section,
                               tc_error *err);
    /* Checks a copy that was not parsed yet: takes the signature that came with it, and checks
     * that where one is required. Also TC_E_NO_MEMORY, TC_E_CORRUPT, TC_E_VERSION. */
    tc_status (*check_bytes)(tc_ifunc *fn, const tci_registry_code *code, tc_error *err);
    /* Judges the same code when its archive is open: sets standing, signer and signer_form. */
    tc_status (*judge_new)(tc_ifunc *fn, const tci_registry_code *code, tc_error *err);
    /* Judges a known function that comes again: takes the new signature if it is the first
     * valid one. */
    tc_status (*judge_known)(tc_ifunc *fn, const tci_registry_code *code, tc_error *err);
    /* Sets standing, signer and signer_form again. TC_OK: it may run for peers. */
    tc_status (*judge)(tc_ifunc *fn, tc_error *err);
    /* The same for a function that peers may have in use: if it may no longer run, it is
     * unloaded and its senders are notified. No function may be running. */
    void (*judge_again)(tc_ifunc *fn);
    /* Returns the digest of its archive's content. The archive is open. */
    const uint8_t *(*content)(tc_ifunc *fn);
    /* Writes the signature that travels with `code`, a form of it: TCI_CODE_SIGNATURE_BYTES. */
    void (*encode)(const tc_ifunc *fn, const tci_code_bytes *code, uint8_t *bytes_out);
    /* Reads keys and lists again. Functions that may no longer run are unloaded and removed
     * from the object cache, and their senders are notified; functions that may run again are
     * allowed to. No function may be running. On any failure no key is trusted from now on,
     * nothing is allowed if there is a list, and revoked code stays revoked. */
    tc_status (*reload)(tci_registry *registry, tc_error *err);
} tci_trust_ops;

/* The registry's part of the module's state. */
struct tci_trust_head {
    const tci_trust_ops *ops;
    bool seals;         /* a signature is required, so objects in the cache are sealed */
    const char *strict; /* the option that forbids code without id and signature; NULL */
};

/* Returns the first option that is set and needs the module, or NULL. */
static inline const char *tci_trust_wanted(const struct tc_options *options)
{
    return options->trust[0] != '\0'          ? "option trust"
           : options->require_signature != 0  ? "option require_signature"
           : options->code_allow[0] != '\0'   ? "option code_allow"
           : options->code_revoked[0] != '\0' ? "option code_revoked"
                                              : NULL;
}

/* Returns whether the key that it was judged by has ended since: then it has to be judged
 * again. The clock is read only for keys that end. */
static inline bool tci_trust_has_ended(const tc_ifunc *fn)
{
    return fn->good_until != 0 && (int64_t)time(NULL) >= fn->good_until;
}

/* Judges it again if so. No function may be running. */
static inline void tci_trust_check_end(tc_ifunc *fn)
{
    if (tci_trust_has_ended(fn))
        fn->registry->trust->ops->judge_again(fn);
}

static inline tc_status tci_trust_judge(tc_ifunc *fn, tc_error *err)
{
    const struct tci_trust_head *trust = fn->registry->trust;
    return trust != NULL ? trust->ops->judge(fn, err) : TC_OK;
}

static inline tc_status tci_trust_judge_known(tc_ifunc *fn, const tci_registry_code *code,
                                              tc_error *err)
{
    const struct tci_trust_head *trust = fn->registry->trust;
    return trust != NULL ? trust->ops->judge_known(fn, code, err) : TC_OK;
}

static inline tc_status tci_trust_check_section(const tci_registry *registry,
                                                const tci_code_section *section, tc_error *err)
{
    const struct tci_trust_head *trust = registry->trust;
    return trust != NULL ? trust->ops->check_section(registry, section, err) : TC_OK;
}

#endif
