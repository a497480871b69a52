#include "certificates.h"
#include "test.h"

#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#define PATH_BYTES 512

static FILE *create(const char *folder, const char *name, const char *ending)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    return fdopen(fd, "w");
}

static FILE *reopen(const char *folder, const char *name, const char *ending)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    return from;
}

static void add_extension(X509 *certificate, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    assert_non_null(extension);
    assert_int_equal(X509_add_ext(certificate, extension, -1), 1);
    X509_EXTENSION_free(extension);
}

static void fill(X509 *certificate, const certificate_spec *spec, EVP_PKEY *key)
{
    static long serial;
    const char *subject = spec->common_name != NULL ? spec->common_name : spec->name;
    X509_NAME *name = X509_get_subject_name(certificate);
    assert_int_equal(X509_set_version(certificate, 2), 1);
    (void)ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
    (void)X509_gmtime_adj(X509_getm_notBefore(certificate), spec->begins);
    (void)X509_gmtime_adj(X509_getm_notAfter(certificate),
                          spec->ends != 0 ? spec->ends : 30 * CERTIFICATES_DAY);
    assert_int_equal(X509_set_pubkey(certificate, key), 1);
    if (subject[0] != '\0')
        assert_int_equal(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                                    (const unsigned char *)subject, -1, -1, 0),
                         1);
    if (spec->issuer == NULL)
        add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
    if (spec->hosts != NULL)
        add_extension(certificate, NID_subject_alt_name, spec->hosts);
    if (spec->purpose != NULL)
        add_extension(certificate, NID_ext_key_usage, spec->purpose);
}

static void sign(const char *folder, X509 *certificate, const certificate_spec *spec,
                 EVP_PKEY *key)
{
    X509 *issuer = certificate;
    EVP_PKEY *issuer_key = key;
    if (spec->issuer != NULL) {
        FILE *from = reopen(folder, spec->issuer, ".pem");
        FILE *key_from = reopen(folder, spec->issuer, ".key");
        issuer = PEM_read_X509(from, NULL, NULL, NULL);
        issuer_key = PEM_read_PrivateKey(key_from, NULL, NULL, NULL);
        fclose(from);
        fclose(key_from);
    }
    assert_int_equal(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)), 1);
    assert_true(X509_sign(certificate, issuer_key, EVP_sha256()) > 0);
    if (spec->issuer != NULL) {
        X509_free(issuer);
        EVP_PKEY_free(issuer_key);
    }
}

void certificate_make(const char *folder, const certificate_spec *spec)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    assert_non_null(key);
    assert_non_null(certificate);
    fill(certificate, spec, key);
    sign(folder, certificate, spec, key);
    FILE *to = create(folder, spec->name, ".pem");
    FILE *key_to = create(folder, spec->name, ".key");
    assert_int_equal(PEM_write_X509(to, certificate), 1);
    assert_int_equal(PEM_write_PrivateKey(key_to, key, NULL, NULL, 0, NULL, NULL), 1);
    assert_int_equal(fclose(to), 0);
    assert_int_equal(fclose(key_to), 0);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

void certificate_make_key(const char *folder, const char *file, const char *name, unsigned seed)
{
    FILE *to = create(folder, file, "");
    (void)fprintf(to, "tchains-key %s ", name);
    for (unsigned i = 0; i < 32; i++)
        (void)fprintf(to, "%02x", (seed * 37 + i * 11) & 0xff);
    (void)fprintf(to, "\n");
    assert_int_equal(fclose(to), 0);
}
