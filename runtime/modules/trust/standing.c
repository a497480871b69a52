/* Code is judged in two steps: before its archive is parsed, by the signature alone, if one is
 * required; then, with the archive open, by name, content and lists.
 *
 * A filled function (ifunc/holes_ops.h) has the standing of its code, and travels with the
 * code's signature. Its own bytes, the values, are never signed. */
#include "standing.h"

#include "base/error_text.h"
#include "filled_archive.h"
#include "ifunc/holes_ops.h"
#include "modules/trust/trust.h"

#include <stdlib.h>
#include <time.h>

/* --- signatures -------------------------------------------------------------------------- */

/* A function without a signature, or with one that does not count here. */
#define UNSIGNED TC_E_NOT_FOUND

/* Verifies each statement by each key only once: a positive result stays true. */
static bool verify(tc_ifunc *fn, const tci_minisign_public *key)
{
    tci_code_signature *signature = fn->signature;
    if (signature->is_verified && memcmp(&signature->verified, key, sizeof *key) == 0)
        return true;
    if (!tci_code_signature_fits(signature, key))
        return false;
    signature->verified = *key;
    signature->is_verified = true;
    return true;
}

/* Finds the trusted key that signed these bytes. UNSIGNED: not signed by one; TC_E_REFUSED: the
 * signature names one and does not fit. */
static tc_status find_signer(tc_ifunc *fn, const tci_trusted_key **key_out, tc_error *why)
{
    const tci_trust *trust = tci_trust_of(fn->registry);
    char id[TCI_KEY_ID_TEXT];
    if (fn->signature == NULL)
        return tci_error_set(why, UNSIGNED, "it is not signed");
    const uint8_t *key_id = fn->signature->signature.key_id;
    tci_minisign_id_text(key_id, id);
    const tci_trusted_key *key = tci_trust_find(trust, key_id);
    if (tci_id_list_has(&trust->revoked, TCI_ID_KEY, key_id))
        return tci_error_set(why, UNSIGNED,
                             "it is signed by key %s, which option code_revoked "
                             "lists",
                             id);
    if (key == NULL)
        return tci_error_set(why, UNSIGNED,
                             "it is signed by key %s, which is none of the %zu of "
                             "option trust",
                             id, trust->count);
    if (tci_trusted_key_is_over(key, (int64_t)time(NULL)))
        return tci_error_set(why, UNSIGNED,
                             "it is signed by key %s (%s), which was good until %s", id,
                             key->name, key->last_day);
    if (!verify(fn, &key->public))
        return tci_error_set(
            why, TC_E_REFUSED,
            "its signature by key %s (%s) does not fit: it is of other code, or "
            "damaged",
            id, key->name);
    *key_out = key;
    return TC_OK;
}

static bool needs_signature(const tc_ifunc *fn, bool arrived)
{
    tci_signature_choice required = tci_trust_of(fn->registry)->required;
    return required == TCI_SIGNATURE_ALL || (required == TCI_SIGNATURE_YES && arrived);
}

/* --- the content ------------------------------------------------------------------------- */

const uint8_t *tci_standing_content(tc_ifunc *fn)
{
    if (fn->filled != NULL)
        return tci_standing_content(fn->registry->holes->code_of(fn));
    const tci_code_bytes code = tci_registry_bytes(fn);
    if (!fn->content_known)
        tci_code_statement_content(fn->archive, code.deps, code.deps_size, fn->content);
    fn->content_known = true;
    return fn->content;
}

static bool is_listed(tc_ifunc *fn, const tci_id_list *list)
{
    if (list->count == 0)
        return false;
    if (tci_id_list_has(list, TCI_ID_CODE, fn->id.bytes))
        return true;
    return tci_id_list_has(list, TCI_ID_CONTENT, tci_standing_content(fn));
}

/* The statement of a compressed archive names its content, which can be checked only now. */
static tc_status check_content(tc_ifunc *fn, tc_error *why)
{
    if (memcmp(tci_standing_content(fn), fn->signature->digests.content,
               TCI_CODE_DIGEST_BYTES) == 0)
        return TC_OK;
    return tci_error_set(
        why, TC_E_REFUSED, "what key %s signed names other content than it has",
        tci_trust_find(tci_trust_of(fn->registry), fn->signature->verified.id)->name);
}

/* --- judging ----------------------------------------------------------------------------- */

static tc_status judge_signature(tc_ifunc *fn, tc_error *why)
{
    const tci_trusted_key *key;
    TC_TRY(find_signer(fn, &key, why));
    TC_TRY(check_content(fn, why));
    if (!tci_trusted_key_covers(key, tci_archive_name(fn->archive)))
        return tci_error_set(why, UNSIGNED, "it is signed by key %s, which may sign names=%s",
                             key->name, key->names);
    TC_TRY(tci_trust_name(tci_trust_of(fn->registry), key, &fn->signer_name, why));
    memcpy(fn->signer, key->name, sizeof fn->signer);
    fn->signer_form = key->form;
    fn->good_until = key->not_after;
    return TC_OK;
}

/* Adds the keys that are expected, once, after the reason that was found. */
static tc_status unsigned_error(const tci_trust *trust, const tc_error *found, tc_error *why)
{
    return tci_error_set(why, TC_E_REFUSED, "%s; option require_signature expects a key of %s",
                         found->text, trust->folder);
}

static tc_status judge_rules(tc_ifunc *fn, tc_error *why)
{
    const tci_trust *trust = tci_trust_of(fn->registry);
    tc_error found;
    if (is_listed(fn, &trust->revoked))
        return tci_error_set(why, TC_E_REFUSED, "it is in the list of option code_revoked");
    tc_status status = judge_signature(fn, &found);
    if (status != TC_OK && status != UNSIGNED)
        return tci_error_set(why, status, "%s", found.text);
    fn->standing =
        trust->required == TCI_SIGNATURE_ALL ? TCI_STANDING_BARRED : TCI_STANDING_LOCAL;
    if (status == UNSIGNED && trust->required != TCI_SIGNATURE_NO)
        return unsigned_error(trust, &found, why);
    if (trust->listed_only && !is_listed(fn, &trust->allowed))
        return tci_error_set(why, TC_E_REFUSED, "it is not in the list of option code_allow");
    fn->standing = TCI_STANDING_OPEN;
    return TC_OK;
}

/* Judges the code again, as its key may have ended, and takes over the result. A list may
 * revoke values by their own id. */
static tc_status judge_filled(tc_ifunc *fn, tc_error *err)
{
    tc_ifunc *code = fn->registry->holes->code_of(fn);
    const tci_trust *trust = tci_trust_of(fn->registry);
    const tc_status status = tci_standing_judge(code, err);
    memcpy(fn->signer, code->signer, sizeof fn->signer);
    fn->signer_name = code->signer_name;
    fn->signer_form = code->signer_form;
    fn->good_until = code->good_until;
    fn->standing = code->standing;
    if (status == TC_OK && !fn->own && is_listed(fn, &trust->revoked)) {
        fn->standing = TCI_STANDING_BARRED;
        return tci_error_set(err, TC_E_REFUSED, "%s: it is in the list of option code_revoked",
                             tci_archive_name(fn->archive));
    }
    return status;
}

tc_status tci_standing_judge(tc_ifunc *fn, tc_error *err)
{
    tc_error why;
    if (fn->filled != NULL)
        return judge_filled(fn, err);
    fn->signer[0] = '\0';
    fn->signer_name = NULL;
    fn->signer_form = TCI_CHOICE_AUTO;
    fn->good_until = 0;
    fn->standing = fn->own ? TCI_STANDING_OPEN : TCI_STANDING_BARRED;
    tc_status status = fn->own ? TC_OK : judge_rules(fn, &why);
    if (status == TC_OK)
        return TC_OK;
    return tci_error_set(err, status, "%s: %s", tci_archive_name(fn->archive), why.text);
}

/* --- code that arrives ------------------------------------------------------------------- */

static tc_status refuse_unread(const tci_content_id *id, const tc_error *why, tc_error *err)
{
    char text[TCI_CONTENT_ID_TEXT];
    tci_content_id_text(id, text);
    return tci_error_set(err, TC_E_REFUSED, "code %s: %s", text, why->text);
}

tc_status tci_standing_check_section(const tci_registry *registry,
                                     const tci_code_section *section, tc_error *err)
{
    tc_error found, why;
    if (tci_trust_of(registry)->required == TCI_SIGNATURE_NO || section->signature_size > 0)
        return TC_OK;
    (void)tci_error_set(&found, UNSIGNED, "it is not signed");
    (void)unsigned_error(tci_trust_of(registry), &found, &why);
    return refuse_unread(&section->id, &why, err);
}

/* Writes the signature that travels with the code, into the space behind it. */
static void write_signature(tc_ifunc *fn)
{
    const tci_code_bytes code = tci_registry_bytes(fn);
    uint8_t *bytes = (uint8_t *)(uintptr_t)fn->code;
    tci_code_signature_encode(fn->signature, &code, bytes + fn->code_bytes);
}

/* Makes the signature that came with the code; NULL without one. One from a file has no
 * digests: the statement's digests are added when the archive is open. */
static tc_status make_signature(const tc_ifunc *fn, const tci_registry_code *code,
                                tci_code_signature **signature_out, tc_error *err)
{
    const tci_code_bytes bytes = tci_registry_bytes(fn);
    tci_minisign_signature parsed = {0};
    *signature_out = NULL;
    if (code->signature == NULL && code->signature_text == NULL)
        return TC_OK;
    tc_status status = TC_OK;
    if (code->signature == NULL)
        status = tci_minisign_signature_parse(code->signature_text, code->signature_text_size,
                                              &parsed, NULL, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "signature");
        return status;
    }
    tci_code_signature *signature = calloc(1, sizeof *signature);
    if (signature == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "signature: out of memory");
    signature->signature = parsed;
    if (code->signature != NULL)
        tci_code_signature_decode(code->signature, &bytes, signature);
    *signature_out = signature;
    return TC_OK;
}

static void complete_signature(tc_ifunc *fn, const tci_registry_code *code)
{
    const tci_code_bytes bytes = tci_registry_bytes(fn);
    if (fn->signature == NULL)
        return;
    if (code->signature == NULL) {
        tci_code_statement_digests(&bytes, fn->archive, &fn->signature->digests);
        memcpy(fn->content, fn->signature->digests.content, sizeof fn->content);
        fn->content_known = true;
    }
    write_signature(fn);
}

tc_status tci_standing_check_bytes(tc_ifunc *fn, const tci_registry_code *code, tc_error *err)
{
    const tci_trusted_key *key;
    tc_error found, why;
    if (tci_filled_archive_is(code->archive, code->archive_size))
        return TC_OK;
    TC_TRY(make_signature(fn, code, &fn->signature, err));
    if (code->own || !needs_signature(fn, code->arrived) || code->signature_text != NULL)
        return TC_OK;
    tc_status status = find_signer(fn, &key, &found);
    if (status == TC_OK)
        return TC_OK;
    if (status == TC_E_REFUSED)
        return refuse_unread(&fn->id, &found, err);
    (void)unsigned_error(tci_trust_of(fn->registry), &found, &why);
    return refuse_unread(&fn->id, &why, err);
}

/* Accepts functions that the program may use though peers may not, unless a peer brought
 * them. */
static tc_status judge_for(tc_ifunc *fn, bool arrived, tc_error *err)
{
    tc_error why;
    if (tci_standing_judge(fn, &why) == TC_OK)
        return TC_OK;
    if (!arrived && fn->standing == TCI_STANDING_LOCAL)
        return TC_OK;
    return tci_error_set(err, TC_E_REFUSED, "%s", why.text);
}

/* Has a filled function travel with the signature of its code. */
static tc_status copy_signature(tc_ifunc *fn, tc_error *err)
{
    const tc_ifunc *code = fn->registry->holes->code_of(fn);
    if (code->signature == NULL)
        return TC_OK;
    fn->signature = malloc(sizeof *fn->signature);
    if (fn->signature == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "signature: out of memory");
    *fn->signature = *code->signature;
    memcpy((uint8_t *)(uintptr_t)fn->code + fn->code_bytes, code->code + code->code_bytes,
           TCI_CODE_SIGNATURE_BYTES);
    return TC_OK;
}

tc_status tci_standing_judge_new(tc_ifunc *fn, const tci_registry_code *code, tc_error *err)
{
    if (fn->filled != NULL)
        TC_TRY(copy_signature(fn, err));
    else
        complete_signature(fn, code);
    fn->own = code->own;
    return judge_for(fn, code->arrived, err);
}

/* Takes another signature of the same bytes. It must not take anything away: the old one stays,
 * unless the new one is valid or there was no old one. */
static tc_status adopt(tc_ifunc *fn, const tci_registry_code *code, tci_code_signature *fresh,
                       tc_error *err)
{
    const tci_registry *registry = fn->registry;
    tci_code_signature *old = fn->signature;
    const tci_trusted_key *key;
    tc_error why;
    fn->signature = fresh;
    complete_signature(fn, code);
    tc_status status = find_signer(fn, &key, &why);
    if (status == TC_OK || (status == UNSIGNED && old == NULL)) {
        free(old);
        if (registry->events != NULL)
            registry->events->retry(registry->events_user, fn->index);
        return TC_OK;
    }
    free(fresh);
    fn->signature = old;
    if (old != NULL)
        write_signature(fn);
    return status == UNSIGNED
               ? TC_OK
               : tci_error_set(err, status, "%s: %s", tci_archive_name(fn->archive), why.text);
}

tc_status tci_standing_judge_known(tc_ifunc *fn, const tci_registry_code *code, tc_error *err)
{
    tci_code_signature *fresh;
    if (fn->filled != NULL)
        return judge_for(fn, code->arrived, err);
    TC_TRY(make_signature(fn, code, &fresh, err));
    if (fn->signer[0] != '\0')
        free(fresh);
    else if (fresh != NULL)
        TC_TRY(adopt(fn, code, fresh, err));
    fn->own |= code->own;
    return judge_for(fn, code->arrived, err);
}
