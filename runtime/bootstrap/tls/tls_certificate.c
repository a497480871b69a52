#include "tls_certificate.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define WARNING_SECONDS (14 * 24 * 3600)

static bool print_name(const X509_NAME *name, BIO *to, char *out, size_t size)
{
    char *text;
    /* OpenSSL escapes control characters, bytes above 0x7f, and its separators. */
    if (X509_NAME_print_ex(to, name, 0, XN_FLAG_RFC2253) < 0)
        return false;
    long length = BIO_get_mem_data(to, &text);
    if (length <= 0 || (size_t)length >= size)
        return false;
    memcpy(out, text, (size_t)length);
    out[length] = '\0';
    return strlen(out) == (size_t)length;
}

bool tci_tls_certificate_name(const X509_NAME *name, char *out, size_t size)
{
    BIO *to = BIO_new(BIO_s_mem());
    bool ok = to != NULL && name != NULL && print_name(name, to, out, size);
    (void)BIO_free(to);
    return ok;
}

const char *tci_tls_certificate_time(const ASN1_TIME *time_or_null, char out[40])
{
    struct tm parts;
    time_t now = time(NULL);
    bool ok = time_or_null != NULL ? ASN1_TIME_to_tm(time_or_null, &parts) == 1
                                   : gmtime_r(&now, &parts) != NULL;
    if (!ok || strftime(out, 40, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        (void)snprintf(out, 40, "a time that is none");
    return out;
}

void tci_tls_certificate_warn(const X509 *certificate, char warning_out[TCI_TLS_WARNING_MAX])
{
    char name[TCI_TLS_IDENTITY_MAX], begins[40], ends[40], now[40];
    int days = 0, seconds = 0;
    warning_out[0] = '\0';
    const ASN1_TIME *from = X509_get0_notBefore(certificate);
    const ASN1_TIME *to = X509_get0_notAfter(certificate);
    bool early = X509_cmp_current_time(from) > 0;
    bool dated = ASN1_TIME_diff(&days, &seconds, NULL, to) == 1;
    if (!early && dated && days * 24ll * 3600 + seconds > WARNING_SECONDS)
        return;
    if (!tci_tls_certificate_name(X509_get_subject_name(certificate), name, sizeof name))
        (void)snprintf(name, sizeof name, "?");
    (void)snprintf(warning_out, TCI_TLS_WARNING_MAX,
                   "the certificate of %s is valid from %s to %s, and the clock here says %s",
                   name, tci_tls_certificate_time(from, begins),
                   tci_tls_certificate_time(to, ends), tci_tls_certificate_time(NULL, now));
}

static bool names_a_host(const GENERAL_NAMES *names)
{
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type == GEN_DNS || name->type == GEN_IPADD)
            return true;
    }
    return false;
}

bool tci_tls_certificate_is_for(X509 *certificate, const char *host)
{
    uint8_t address[16];
    int found = -1;
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, &found, NULL);
    /* Names that cannot be read, or occur twice, do not count as missing. */
    bool bound = names != NULL ? names_a_host(names) : found != -1;
    GENERAL_NAMES_free(names);
    if (!bound)
        return true;
    if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1)
        return X509_check_ip_asc(certificate, host, 0) == 1;
    return X509_check_host(certificate, host, 0, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL) ==
           1;
}
