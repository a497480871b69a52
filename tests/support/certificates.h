/* Keys and certificates for tests, made when they are needed: so they do not expire in the
 * tree, and one that has expired needs no wrong clock. */
#ifndef CERTIFICATES_H
#define CERTIFICATES_H

#include <stdbool.h>

#define CERTIFICATES_DAY 86400L

/* The fields of a certificate. Files are FOLDER/NAME.pem and FOLDER/NAME.key, of mode 0600. */
typedef struct certificate_spec {
    const char *name;
    const char *issuer;      /* the name of one made before; NULL: itself, an authority */
    const char *common_name; /* NULL: as name; "": no subject at all */
    const char *hosts;       /* subjectAltName, "DNS:node7,IP:127.0.0.1"; NULL: no names */
    const char *purpose;     /* extendedKeyUsage, "serverAuth"; NULL: no usage */
    long begins;             /* seconds from now */
    long ends;               /* 0: in a month */
} certificate_spec;

void certificate_make(const char *folder, const certificate_spec *spec);

/* A key file with one key, which is made of the seed. */
void certificate_make_key(const char *folder, const char *file, const char *name,
                          unsigned seed);

#endif
