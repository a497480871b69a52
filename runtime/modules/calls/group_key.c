#include "modules/calls/group_key.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "modules/calls/calling_state.h"

#include <sodium.h>
#include <string.h>

static tci_group_key_need judge(const struct tc_options *options, bool has_keys, bool all_local,
                                bool on_loopback)
{
    if (has_keys || options->listen_any != 0)
        return TCI_GROUP_KEY_NONE;
    if (!all_local || !on_loopback)
        return TCI_GROUP_KEY_NEEDED;
    return options->local_users != 0 && options->protect == TCI_PROTECT_SEAL
               ? TCI_GROUP_KEY_WISHED
               : TCI_GROUP_KEY_NONE;
}

/* Makes the key's name, which goes over the network in clear text, as other names of keys do,
 * and into texts. */
static void make_name(const char *job, char out[TCI_TLS_KEY_NAME_MAX + 1])
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-@";
    size_t n = 0;
    for (; job[n] != '\0' && n < TCI_TLS_KEY_NAME_MAX; n++)
        out[n] = job[n];
    out[n] = '\0';
    for (size_t at = strspn(out, allowed); at < n; at += strspn(out + at, allowed))
        out[at] = '_';
}

tc_status tci_group_key_prepare(const struct tc_options *options, bool has_keys,
                                const tci_rendezvous_self *self, bool on_loopback,
                                tci_group_key *key_out, tc_error *err)
{
    uint8_t bytes[TCI_TLS_KEY_BYTES];
    tci_group_key_need need = judge(options, has_keys, self->all_local, on_loopback);
    *key_out = (tci_group_key){.need = need};
    if (need == TCI_GROUP_KEY_NONE)
        return TC_OK;
    if (options->protect != TCI_PROTECT_SEAL)
        return tci_error_set(err, TC_E_INVALID,
                             "option protect is off, and others can reach the members of this "
                             "job, which then have a key: expected seal, or listen_any=yes");
    tc_status status = tci_credentials_can_be_job(options, err);
    if (status != TC_OK && need == TCI_GROUP_KEY_WISHED) {
        key_out->need = TCI_GROUP_KEY_NONE;
        return TC_OK;
    }
    TC_TRY(status);
    if (self->rank == 0) {
        randombytes_buf(bytes, sizeof bytes);
        tci_group_key_take(key_out, self, bytes);
        sodium_memzero(bytes, sizeof bytes);
    }
    return TC_OK;
}

void tci_group_key_take(tci_group_key *key, const tci_rendezvous_self *self,
                        const uint8_t bytes[TCI_TLS_KEY_BYTES])
{
    key->is_set = bytes != NULL;
    if (bytes == NULL)
        return;
    make_name(self->name, key->key.name);
    memcpy(key->key.bytes, bytes, sizeof key->key.bytes);
}

void tci_group_key_forget(tci_group_key *key)
{
    sodium_memzero(key, sizeof *key);
}

tc_status tci_group_key_make_job(const tci_group_key *key, tc_context *ctx, uint32_t rank,
                                 tci_group_job **job_out, tc_error *err)
{
    *job_out = NULL;
    if (!key->is_set && key->need == TCI_GROUP_KEY_NEEDED)
        return tci_error_set(err, TC_E_INVALID,
                             "rank 0 gave the job no key, as its options need none (key_file, "
                             "tls_*, listen_any, group_address), and those of rank %u do: "
                             "expected the same options on all",
                             rank);
    if (!key->is_set)
        return TC_OK;
    tci_groups *groups = &tci_calling_of(&ctx->core)->groups;
    TC_TRY(tci_group_job_create(groups, &key->key, &ctx->core.options, job_out, err));
    TC_LOG(TC_LOG_INFO, "group: members authenticate by the key of job:%s", key->key.name);
    return TC_OK;
}
