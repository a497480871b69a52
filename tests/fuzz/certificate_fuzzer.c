/* Names of certificates, which become the identities of peers: in logs, audit lines, policies
 * and quotas. The rest of the first byte chooses how they are made: DER as it is, or a subject
 * of attributes of any kind and bytes. For every certificate an identity is printable, fits and
 * ends where its text does; and the hosts of a certificate are judged without a read
 * outside. */
#include "bootstrap/tls/tls_certificate.h"
#include "fuzzer.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>

#define ATTRIBUTES_MAX 6u

static void check_name(const X509_NAME *name, size_t room)
{
    char *out = malloc(room); /* of just that size */
    MUST(out != NULL);
    if (tci_tls_certificate_name(name, out, room)) {
        size_t length = strlen(out);
        MUST(length > 0 && length < room);
        for (size_t i = 0; i < length; i++)
            MUST(out[i] >= 0x20 && out[i] < 0x7f);
    }
    free(out);
}

static void check_certificate(X509 *certificate, const char *host)
{
    char warning[TCI_TLS_WARNING_MAX], time[40];
    check_name(X509_get_subject_name(certificate), TCI_TLS_IDENTITY_MAX);
    check_name(X509_get_issuer_name(certificate), 16);
    (void)tci_tls_certificate_is_for(certificate, host);
    tci_tls_certificate_warn(certificate, warning);
    MUST(strlen(warning) < sizeof warning);
    (void)tci_tls_certificate_time(X509_get0_notAfter(certificate), time);
    MUST(memchr(time, '\0', sizeof time) != NULL);
}

static void read_der(const uint8_t *data, size_t size, const char *host)
{
    const unsigned char *at = data;
    X509 *certificate = d2i_X509(NULL, &at, (long)size);
    if (certificate != NULL)
        check_certificate(certificate, host);
    X509_free(certificate);
}

/* Each attribute: which, of which type, how many bytes, those. */
static void add_attributes(X509_NAME *name, const uint8_t *data, size_t size)
{
    static const int ids[] = {NID_commonName,      NID_organizationName,   NID_countryName,
                              NID_domainComponent, NID_pkcs9_emailAddress, NID_serialNumber};
    static const int types[] = {
        V_ASN1_UTF8STRING, V_ASN1_BMPSTRING, V_ASN1_UNIVERSALSTRING, V_ASN1_PRINTABLESTRING,
        V_ASN1_T61STRING,  V_ASN1_IA5STRING, V_ASN1_OCTET_STRING,    V_ASN1_NULL};
    for (unsigned i = 0; i < ATTRIBUTES_MAX && size >= 2; i++) {
        size_t n = data[1] % 64 < size - 2 ? data[1] % 64 : size - 2;
        (void)X509_NAME_add_entry_by_NID(name, ids[data[0] % 6], types[data[0] / 8 % 8],
                                         data + 2, (int)n, -1, data[0] & 128 ? -1 : 0);
        data += 2 + n;
        size -= 2 + n;
    }
}

/* With a subjectAltName of the very bytes, too. */
static void make(const uint8_t *data, size_t size, const char *host)
{
    X509 *certificate = X509_new();
    ASN1_OCTET_STRING *value = ASN1_OCTET_STRING_new();
    MUST(certificate != NULL && value != NULL);
    add_attributes(X509_get_subject_name(certificate), data, size);
    (void)ASN1_OCTET_STRING_set(value, data, (int)size);
    X509_EXTENSION *names = X509_EXTENSION_create_by_NID(NULL, NID_subject_alt_name, 0, value);
    (void)X509_add_ext(certificate, names, -1);
    check_certificate(certificate, host);
    X509_EXTENSION_free(names);
    ASN1_OCTET_STRING_free(value);
    X509_free(certificate);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const hosts[] = {"127.0.0.1", "node7", "::1", "a.example.org"};
    if (size < 1)
        return 0;
    const char *host = hosts[data[0] / 2 % 4];
    if (data[0] & 1)
        read_der(data + 1, size - 1, host);
    else
        make(data + 1, size - 1, host);
    ERR_clear_error();
    return 0;
}
