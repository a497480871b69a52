/* Reads the files that the options name, and passes their contents to the TLS module. */
#include "credentials.h"

#include "base/error_text.h"
#include "base/module_file.h"
#include "key_file.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE_NS 2000000000ull /* a live peer with the keys needs only two answers */

static const tci_module_file_kind tls_module = {.what = "TLS module",
                                                .file = "libtchains-tls.so",
                                                .symbol = TCI_TLS_SYMBOL,
                                                .abi = TCI_TLS_ABI};

static tc_status open_module(const struct tc_options *options, bool is_job,
                             const tci_tls_ops **ops_out, tc_error *err)
{
    const void *table;
    tc_status status = tci_module_file_open(&tls_module, options->engine_path, &table, err);
    if (status == TC_E_UNSUPPORTED)
        tci_error_prefix(
            err, "%s: install libssl3 and a libtchains that was built with libssl-dev%s",
            is_job ? "members of this job can be reached by others, so they need a "
                     "key, and it cannot be used"
                   : "keys are configured (key_file, tls_*), and cannot be used",
            is_job ? ", or set listen_any=yes, which lets everybody in" : "");
    if (status == TC_OK)
        *ops_out = table;
    return status;
}

static void set_rules(const struct tc_options *options, tci_credentials *out)
{
    *out = (tci_credentials){.any_user = options->local_users != 0, .patience_ns = PATIENCE_NS};
    if (options->connect_timeout < out->patience_ns)
        out->patience_ns = options->connect_timeout;
}

static tc_status create(const tci_tls_material *material, const struct tc_options *options,
                        tci_credentials *out, tc_error *err)
{
    char warning[TCI_TLS_WARNING_MAX];
    const tci_tls_ops *ops;
    tci_tls *tls;
    TC_TRY(open_module(options, material->is_job, &ops, err));
    TC_TRY(ops->create(material, &tls, warning, err));
    set_rules(options, out);
    out->ops = ops;
    out->tls = tls;
    out->is_job = material->is_job;
    if (warning[0] != '\0')
        TC_LOG(TC_LOG_WARN, "tls_cert: %s", warning);
    return TC_OK;
}

/* --- a key that is shared ---------------------------------------------------------------- */

static tc_status load_keys(const struct tc_options *options, tci_credentials *out,
                           tc_error *err)
{
    char *text = malloc(TCI_KEY_FILE_BYTES_MAX);
    tci_key_file file;
    size_t size;
    if (text == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "key_file: out of memory");
    tc_status status = tci_key_file_read("key_file", options->key_file, true, text, &size, err);
    if (status == TC_OK) {
        status = tci_key_file_parse(text, size, &file, err);
        explicit_bzero(text, size);
        if (status != TC_OK)
            tci_error_prefix(err, "key_file: %s", options->key_file);
    }
    free(text);
    TC_TRY(status);
    const tci_tls_material material = {.keys = file.keys, .key_count = file.count};
    status = create(&material, options, out, err);
    explicit_bzero(&file, sizeof file);
    return status;
}

tc_status tci_credentials_of_job(const tci_tls_key *key, const struct tc_options *options,
                                 tci_credentials *out, tc_error *err)
{
    const tci_tls_material material = {.keys = key, .key_count = 1, .is_job = true};
    return create(&material, options, out, err);
}

tc_status tci_credentials_can_be_job(const struct tc_options *options, tc_error *err)
{
    const tci_tls_ops *ops;
    return open_module(options, true, &ops, err);
}

/* --- certificates ------------------------------------------------------------------------ */

/* The three files, side by side. */
typedef struct pem_files {
    char bytes[3][TCI_KEY_FILE_BYTES_MAX];
} pem_files;

static tc_status read_pem(const char *option, const char *path, bool secret,
                          char bytes[TCI_KEY_FILE_BYTES_MAX], tci_tls_pem *pem_out,
                          tc_error *err)
{
    size_t size;
    TC_TRY(tci_key_file_read(option, path, secret, bytes, &size, err));
    *pem_out = (tci_tls_pem){.bytes = bytes, .size = size, .path = path};
    return TC_OK;
}

static tc_status read_files(const struct tc_options *options, pem_files *files,
                            tci_tls_material *material_out, tc_error *err)
{
    TC_TRY(read_pem("tls_ca", options->tls_ca, false, files->bytes[0], &material_out->ca, err));
    TC_TRY(read_pem("tls_cert", options->tls_cert, false, files->bytes[1],
                    &material_out->certificate, err));
    return read_pem("tls_key", options->tls_key, true, files->bytes[2],
                    &material_out->private_key, err);
}

static tc_status load_certificates(const struct tc_options *options, tci_credentials *out,
                                   tc_error *err)
{
    tci_tls_material material = {.key_count = 0};
    pem_files *files = malloc(sizeof *files);
    if (files == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "tls_cert: out of memory");
    tc_status status = read_files(options, files, &material, err);
    if (status == TC_OK)
        status = create(&material, options, out, err);
    explicit_bzero(files->bytes[2], sizeof files->bytes[2]);
    free(files);
    return status;
}

/* --- choosing ---------------------------------------------------------------------------- */

/* Refuses a part of a set of options, which would leave a listener open to peers that it should
 * keep out. */
static tc_status check_options(const struct tc_options *options, tc_error *err)
{
    const struct {
        const char *name;
        const char *value;
    } tls[] = {{"tls_ca", options->tls_ca},
               {"tls_cert", options->tls_cert},
               {"tls_key", options->tls_key}};
    const char *missing = NULL, *set = NULL;
    for (size_t i = 0; i < sizeof tls / sizeof tls[0]; i++) {
        if (tls[i].value[0] != '\0')
            set = tls[i].name;
        else
            missing = tls[i].name;
    }
    if (set != NULL && missing != NULL)
        return tci_error_set(err, TC_E_INVALID,
                             "option %s is set, and %s is not: expected tls_ca, tls_cert and "
                             "tls_key together",
                             set, missing);
    if (set != NULL && options->key_file[0] != '\0')
        return tci_error_set(err, TC_E_INVALID,
                             "options key_file and %s are both set: expected one or the other",
                             set);
    return TC_OK;
}

/* Checks the option protect. TLS 1.3 has ciphers that sign and do not encrypt (RFC 9150),
 * OpenSSL from 3.4 on; they are not used here. Keys with protect=off contradict each other:
 * clear text would defeat the keys. */
static tc_status check_protection(const struct tc_options *options, tc_error *err)
{
    bool keys = options->key_file[0] != '\0' || options->tls_cert[0] != '\0';
    if (options->protect == TCI_PROTECT_AUTH)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "option protect is auth: that takes the cipher TLS_SHA256_SHA256, "
                             "which OpenSSL has not before 3.4 and this library does not use; "
                             "expected seal");
    if (options->protect == TCI_PROTECT_OFF && keys)
        return tci_error_set(err, TC_E_INVALID,
                             "option protect is off, and %s is set: with keys all bytes are "
                             "sealed; expected seal, or no keys",
                             options->key_file[0] != '\0' ? "key_file" : "tls_cert");
    return TC_OK;
}

tc_status tci_credentials_load(const struct tc_options *options, tci_credentials *out,
                               tc_error *err)
{
    TC_TRY(check_options(options, err));
    TC_TRY(check_protection(options, err));
    if (options->key_file[0] != '\0')
        return load_keys(options, out, err);
    if (options->tls_cert[0] != '\0')
        return load_certificates(options, out, err);
    set_rules(options, out);
    return TC_OK;
}

void tci_credentials_fini(tci_credentials *credentials)
{
    if (credentials->ops != NULL)
        credentials->ops->destroy(credentials->tls);
    credentials->ops = NULL;
    credentials->tls = NULL;
}
