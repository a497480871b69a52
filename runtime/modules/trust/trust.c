/* A reload reads everything into a new tci_trust, which replaces the old one as a whole. When
 * that fails, the new one has no key and no allowed code, but still the old list of revoked
 * code: a mistake forbids. Names of signers outlive reloads, since functions refer to them. */
#include "trust.h"

#include "base/error_text.h"
#include "base/file_guard.h"
#include "base/logger.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".pub"
#define SOON_DAYS 30
#define PATH_BYTES (TCI_OPTION_TEXT_MAX + NAME_MAX + 2)

/* --- one key ----------------------------------------------------------------------------- */

static bool is_key_file(const char *name)
{
    size_t n = strlen(name), suffix = strlen(SUFFIX);
    return n > suffix && name[0] != '.' && strcmp(name + n - suffix, SUFFIX) == 0;
}

/* The name appears in logs and replies. */
static tc_status take_name(const char *file, tci_trusted_key *key, tc_error *err)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    size_t n = strlen(file) - strlen(SUFFIX);
    if (n >= TCI_SIGNER_MAX || strspn(file, allowed) < n)
        return tci_error_set(err, TC_E_INVALID,
                             "a key's name has 1 to %d letters, digits, '.', '_' or '-'",
                             TCI_SIGNER_MAX - 1);
    memcpy(key->name, file, n);
    key->name[n] = '\0';
    return TC_OK;
}

static tc_status read_key(int folder, const char *path, const char *file,
                          tci_trusted_key *key_out, tc_error *err)
{
    char *text;
    size_t size;
    TC_TRY(tci_file_guard_read(folder, file, path, TCI_GUARD_TRUSTED, TCI_MINISIGN_FILE_MAX,
                               &text, &size, err));
    tc_status status = tci_trusted_key_parse(text, size, key_out, err);
    free(text);
    if (status == TC_OK)
        status = take_name(file, key_out, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", path);
    return status;
}

static void warn_of_end(const tci_trusted_key *key)
{
    int64_t now = (int64_t)time(NULL);
    if (tci_trusted_key_is_over(key, now))
        TC_LOG(TC_LOG_WARN, "trust: key %s was good until %s; what it signed is refused",
               key->name, key->last_day);
    else if (key->not_after != 0 && tci_trusted_key_days(key, now) < SOON_DAYS)
        TC_LOG(TC_LOG_WARN, "trust: key %s is good until %s, %lld days more", key->name,
               key->last_day, (long long)tci_trusted_key_days(key, now));
}

/* --- all keys ---------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const tci_trusted_key *x = a, *y = b;
    int order = memcmp(x->public.id, y->public.id, sizeof x->public.id);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static bool same_id(const tci_trusted_key *a, const tci_trusted_key *b)
{
    return memcmp(a->public.id, b->public.id, sizeof a->public.id) == 0;
}

/* Removes keys with the same id: it cannot be known which of the files is meant. */
static void leave_out_doubles(tci_trust *trust)
{
    size_t kept = 0;
    if (trust->count == 0)
        return;
    qsort(trust->keys, trust->count, sizeof *trust->keys, by_id);
    for (size_t i = 0, end; i < trust->count; i = end) {
        for (end = i + 1; end < trust->count && same_id(&trust->keys[i], &trust->keys[end]);)
            end++;
        if (end == i + 1)
            trust->keys[kept++] = trust->keys[i];
        else
            TC_LOG(TC_LOG_WARN, "trust: %s: the keys %s and %s have one id; neither is trusted",
                   trust->folder, trust->keys[i].name, trust->keys[i + 1].name);
    }
    trust->count = kept;
}

static tc_status add_key(tci_trust *trust, const tci_trusted_key *key, tc_error *err)
{
    if (trust->count == TCI_TRUST_KEYS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "%s: more than %u keys", trust->folder,
                             TCI_TRUST_KEYS_MAX);
    tci_trusted_key *keys = /* bound: TCI_TRUST_KEYS_MAX */
        realloc(trust->keys, (trust->count + 1) * sizeof *keys);
    if (keys == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "trust: out of memory");
    trust->keys = keys;
    trust->keys[trust->count++] = *key;
    return TC_OK;
}

/* *first_out: the reason for the first file that was left out, if any. */
static tc_status read_keys(DIR *stream, tci_trust *trust, tc_error *first_out, tc_error *err)
{
    for (const struct dirent *at; (at = readdir(stream)) != NULL;) {
        char path[PATH_BYTES];
        tci_trusted_key key;
        tc_error why = {0};
        if (!is_key_file(at->d_name))
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", trust->folder, at->d_name);
        if (read_key(dirfd(stream), path, at->d_name, &key, &why) == TC_OK) {
            TC_TRY(add_key(trust, &key, err));
            continue;
        }
        TC_LOG(TC_LOG_WARN, "trust: a key is left out: %s", why.text);
        if (first_out->status == TC_OK)
            *first_out = why;
    }
    leave_out_doubles(trust);
    for (size_t i = 0; i < trust->count; i++)
        warn_of_end(&trust->keys[i]);
    return TC_OK;
}

static tc_status read_folder(tci_trust *trust, tc_error *first_out, tc_error *err)
{
    int fd;
    if (trust->folder[0] == '\0')
        return TC_OK;
    TC_TRY(tci_file_guard_open_folder(trust->folder, TCI_GUARD_TRUSTED, &fd, err));
    DIR *stream = fdopendir(fd);
    if (stream == NULL) {
        int failure = errno;
        (void)close(fd);
        return tci_error_errno(err, TC_E_IO, failure, "%s", trust->folder);
    }
    tc_status status = read_keys(stream, trust, first_out, err);
    (void)closedir(stream);
    return status;
}

/* --- all of it --------------------------------------------------------------------------- */

static tc_status read_list(const char *name, const char *option, tci_id_list *list_out,
                           tc_error *err)
{
    tc_status status = tci_id_list_read(option, list_out, err);
    if (status != TC_OK)
        tci_error_prefix(err, "option %s", name);
    return status;
}

static tc_status read_all(const struct tc_options *options, tci_trust *trust,
                          tc_error *first_out, tc_error *err)
{
    trust->folder = options->trust;
    trust->required = (tci_signature_choice)options->require_signature;
    trust->listed_only = options->code_allow[0] != '\0';
    trust->head.seals = trust->required != TCI_SIGNATURE_NO;
    trust->head.strict = trust->listed_only  ? "code_allow"
                         : trust->head.seals ? "require_signature"
                                             : NULL;
    tc_status status = read_folder(trust, first_out, err);
    if (status != TC_OK)
        tci_error_prefix(err, "option trust");
    if (status == TC_OK)
        status = read_list("code_allow", options->code_allow, &trust->allowed, err);
    if (status == TC_OK)
        status = read_list("code_revoked", options->code_revoked, &trust->revoked, err);
    return status;
}

/* A context that could run nothing is a mistake in its setup. */
static tc_status check_options(const tci_trust *trust, const tc_error *first, tc_error *err)
{
    if (trust->required == TCI_SIGNATURE_NO || trust->count > 0)
        return TC_OK;
    if (trust->folder[0] == '\0')
        return tci_error_set(err, TC_E_INVALID,
                             "option require_signature is set and option trust is empty: it "
                             "names the folder of the keys that may sign");
    return tci_error_set(err, TC_E_INVALID,
                         "option require_signature is set and no key of %s can be used: %s",
                         trust->folder, first->status != TC_OK ? first->text : "no file *.pub");
}

tc_status tci_trust_read(const struct tc_options *options, tci_trust *trust_out, tc_error *err)
{
    tci_trust trust = {0};
    tc_error first = {0};
    tc_status status = read_all(options, &trust, &first, err);
    if (status == TC_OK)
        status = check_options(&trust, &first, err);
    if (status != TC_OK) {
        tci_trust_free(&trust);
        return status;
    }
    *trust_out = trust;
    return TC_OK;
}

tc_status tci_trust_reload(const struct tc_options *options, tci_trust *trust, tc_error *err)
{
    tci_trust fresh = {0};
    tc_error first = {0};
    tc_status status = read_all(options, &fresh, &first, err);
    if (status != TC_OK) {
        free(fresh.keys);
        fresh.keys = NULL;
        fresh.count = 0;
        tci_id_list_free(&fresh.allowed);
        tci_id_list_free(&fresh.revoked);
        fresh.revoked = trust->revoked;
        trust->revoked = (tci_id_list){0};
    }
    fresh.head.ops = trust->head.ops;
    fresh.names = trust->names;
    trust->names = NULL;
    tci_trust_free(trust);
    *trust = fresh;
    return status;
}

void tci_trust_free(tci_trust *trust)
{
    for (tci_signer_name *name = trust->names, *next; name != NULL; name = next) {
        next = name->next;
        free(name);
    }
    free(trust->keys);
    tci_id_list_free(&trust->allowed);
    tci_id_list_free(&trust->revoked);
    *trust = (tci_trust){0};
}

const tci_trusted_key *tci_trust_find(const tci_trust *trust,
                                      const uint8_t id[TCI_KEY_ID_BYTES])
{
    for (size_t i = 0; i < trust->count; i++) {
        if (memcmp(trust->keys[i].public.id, id, TCI_KEY_ID_BYTES) == 0)
            return &trust->keys[i];
    }
    return NULL;
}

tc_status tci_trust_name(tci_trust *trust, const tci_trusted_key *key, const char **name_out,
                         tc_error *err)
{
    unsigned count = 0;
    for (const tci_signer_name *name = trust->names; name != NULL; name = name->next) {
        *name_out = name->text;
        if (strcmp(name->text, key->name) == 0)
            return TC_OK;
        count++;
    }
    if (count == TCI_SIGNER_NAMES_MAX)
        return tci_error_set(
            err, TC_E_REFUSED,
            "key %s is number %u that signed something here, expected %u at most", key->name,
            count + 1, TCI_SIGNER_NAMES_MAX);
    tci_signer_name *name = malloc(sizeof *name);
    if (name == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "function: out of memory");
    memcpy(name->text, key->name, sizeof name->text);
    name->next = trust->names;
    trust->names = name;
    *name_out = name->text;
    return TC_OK;
}
