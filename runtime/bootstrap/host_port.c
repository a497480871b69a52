#include "host_port.h"

#include "base/error_text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define PORT_DIGITS_MAX 5

static tc_status bad_form(const char *text, const char *why, tc_error *err)
{
    return tci_error_set(err, TC_E_INVALID,
                         "'%.300s' is not host:port (such as 127.0.0.1:7000 or [::1]:7000): %s",
                         text, why);
}

static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned value = 0;
    if (digits == 0 || digits > PORT_DIGITS_MAX || text[digits] != '\0')
        return false;
    for (size_t i = 0; i < digits; i++)
        value = value * 10 + (unsigned)(text[i] - '0');
    return value <= UINT16_MAX;
}

/* Splits "host:port" or "[host]:port"; *port_out points into text. */
static tc_status split(const char *text, char host_out[TCI_HOST_PORT_NAME_MAX],
                       const char **port_out, tc_error *err)
{
    bool bracketed = text[0] == '[';
    const char *host = bracketed ? text + 1 : text;
    const char *end = strchr(host, bracketed ? ']' : ':');
    if (end == NULL)
        return bad_form(text, bracketed ? "']' is missing" : "the port is missing", err);
    const char *colon = bracketed ? end + 1 : end;
    if (*colon != ':')
        return bad_form(text, "the port is missing", err);
    if (!bracketed && strchr(colon + 1, ':') != NULL)
        return bad_form(text, "an IPv6 address is written in brackets", err);
    if (end == host)
        return bad_form(text, "the host is missing", err);
    if (end - host >= TCI_HOST_PORT_NAME_MAX)
        return bad_form(text, "the host is longer than 255 bytes", err);
    if (!is_port(colon + 1))
        return bad_form(text, "the port is not a number from 0 to 65535", err);
    size_t size = (size_t)(end - host);
    memcpy(host_out, host, size);
    host_out[size] = '\0';
    *port_out = colon + 1;
    return TC_OK;
}

static tc_status resolver_error(int code, int errnum, const char *host, tc_error *err)
{
    if (code == EAI_MEMORY)
        return tci_error_set(err, TC_E_NO_MEMORY, "host '%s': out of memory", host);
    if (code == EAI_SYSTEM)
        return tci_error_errno(err, TC_E_IO, errnum, "host '%s'", host);
    return tci_error_set(err, TC_E_UNREACHABLE, "host '%s': %s", host, gai_strerror(code));
}

tc_status tci_host_port_parse(const char *text, tci_host_port *host_port_out, tc_error *err)
{
    char host[TCI_HOST_PORT_NAME_MAX];
    const char *port = NULL;
    TC_TRY(split(text, host, &port, err));

    /* No AI_ADDRCONFIG: it hides ::1 and 127.0.0.1 on machines that have no other address. */
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    int code = getaddrinfo(host, port, &hints, &list);
    if (code != 0)
        return resolver_error(code, errno, host, err);

    tci_host_port found = {0};
    for (struct addrinfo *at = list; at != NULL; at = at->ai_next) {
        if (found.count == TCI_HOST_PORT_ADDRESSES_MAX)
            break;
        if (at->ai_family != AF_INET && at->ai_family != AF_INET6)
            continue;
        tci_host_address *address = &found.addresses[found.count++];
        memcpy(&address->storage, at->ai_addr, at->ai_addrlen);
        address->size = at->ai_addrlen;
    }
    freeaddrinfo(list);
    if (found.count == 0)
        return resolver_error(EAI_FAMILY, 0, host, err);
    (void)snprintf(found.host, sizeof found.host, "%s", host);
    *host_port_out = found;
    return TC_OK;
}

/* Return the two views of an address; copies, because the storage has another type. */
static struct sockaddr_in as_v4(const tci_host_address *address)
{
    struct sockaddr_in v4;
    memcpy(&v4, &address->storage, sizeof v4);
    return v4;
}

static struct sockaddr_in6 as_v6(const tci_host_address *address)
{
    struct sockaddr_in6 v6;
    memcpy(&v6, &address->storage, sizeof v6);
    return v6;
}

bool tci_host_address_is_loopback(const tci_host_address *address)
{
    if (address->storage.ss_family == AF_INET) {
        struct sockaddr_in v4 = as_v4(address);
        return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
    }
    if (address->storage.ss_family == AF_INET6) {
        struct sockaddr_in6 v6 = as_v6(address);
        return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) ||
               (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && v6.sin6_addr.s6_addr[12] == 127);
    }
    return false;
}

uint16_t tci_host_address_port(const tci_host_address *address)
{
    if (address->storage.ss_family == AF_INET6)
        return ntohs(as_v6(address).sin6_port);
    return ntohs(as_v4(address).sin_port);
}

const char *tci_host_address_text(const tci_host_address *address,
                                  char out[TCI_HOST_PORT_TEXT_MAX])
{
    char host[TCI_HOST_PORT_TEXT_MAX - sizeof "[]:65535" + 1];
    int code = getnameinfo((const struct sockaddr *)&address->storage, address->size, host,
                           sizeof host, NULL, 0, NI_NUMERICHOST);
    if (code != 0)
        (void)snprintf(host, sizeof host, "?");
    bool brackets = address->storage.ss_family == AF_INET6;
    (void)snprintf(out, TCI_HOST_PORT_TEXT_MAX, "%s%s%s:%u", brackets ? "[" : "", host,
                   brackets ? "]" : "", tci_host_address_port(address));
    return out;
}
