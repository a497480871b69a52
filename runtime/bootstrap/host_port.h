/* "host:port" as people write it, turned into socket addresses. */
#ifndef TCI_HOST_PORT_H
#define TCI_HOST_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <tc/status.h>

#define TCI_HOST_PORT_ADDRESSES_MAX 8 /* of one name; more are ignored */
#define TCI_HOST_PORT_NAME_MAX 256    /* with the terminator */
/* "[<IPv6 address>%<interface>]:65535" and the terminator */
#define TCI_HOST_PORT_TEXT_MAX 80

typedef struct tci_host_address {
    struct sockaddr_storage storage;
    socklen_t size;
} tci_host_address;

/* A name may stand for several addresses ("localhost" is often ::1 and 127.0.0.1). They are
 * tried in this order. */
typedef struct tci_host_port {
    char host[TCI_HOST_PORT_NAME_MAX]; /* as it was written, without brackets and port */
    tci_host_address addresses[TCI_HOST_PORT_ADDRESSES_MAX];
    size_t count; /* >= 1 */
} tci_host_port;

/* "127.0.0.1:7000", "[::1]:7000", "node7:7000"; port 0..65535. A name is looked up, which may
 * block as long as the system's resolver does; a numeric address never blocks. TC_E_INVALID:
 * the text has another form; TC_E_UNREACHABLE: a name that is not known (or cannot be asked for
 * now); TC_E_NO_MEMORY, TC_E_IO. err may be NULL. */
TC_MUST_CHECK tc_status tci_host_port_parse(const char *text, tci_host_port *host_port_out,
                                            tc_error *err);

/* Returns whether only this machine can reach the address: 127.0.0.0/8, ::1, and 127.0.0.0/8
 * mapped into IPv6. */
bool tci_host_address_is_loopback(const tci_host_address *address);

uint16_t tci_host_address_port(const tci_host_address *address);

/* "127.0.0.1:7000" or "[::1]:7000", always numeric. Returns out. */
const char *tci_host_address_text(const tci_host_address *address,
                                  char out[TCI_HOST_PORT_TEXT_MAX]);

#endif
