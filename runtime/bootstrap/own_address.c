#include "own_address.h"

#include "base/error_text.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static const char nothing_set[] =
    "members are on several hosts: set the option group_address (TC_GROUP_ADDRESS) to this "
    "host's address or network interface";

/* Returns whether an interface has an address that other hosts can use as it is: link-local
 * ones of IPv6 have another meaning at each host. */
static bool is_usable(const struct ifaddrs *at)
{
    if (at->ifa_addr == NULL)
        return false;
    if (at->ifa_addr->sa_family == AF_INET)
        return true;
    if (at->ifa_addr->sa_family != AF_INET6)
        return false;
    struct sockaddr_in6 v6;
    memcpy(&v6, at->ifa_addr, sizeof v6);
    return !IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr);
}

static tc_status interface_address(const char *name, char out[TCI_OWN_ADDRESS_TEXT_MAX],
                                   tc_error *err)
{
    struct ifaddrs *list;
    const struct ifaddrs *best = NULL;
    if (getifaddrs(&list) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "addresses of %s", name);
    for (const struct ifaddrs *at = list; at != NULL; at = at->ifa_next) {
        if (strcmp(at->ifa_name, name) != 0 || !is_usable(at))
            continue;
        if (best == NULL ||
            (best->ifa_addr->sa_family == AF_INET6 && at->ifa_addr->sa_family == AF_INET))
            best = at;
    }
    tc_status status = TC_OK;
    if (best == NULL) {
        status = tci_error_set(err, TC_E_INVALID,
                               "group_address: the network interface %s has no address", name);
    } else {
        tci_host_address address = {.size = best->ifa_addr->sa_family == AF_INET
                                                ? sizeof(struct sockaddr_in)
                                                : sizeof(struct sockaddr_in6)};
        memcpy(&address.storage, best->ifa_addr, address.size);
        (void)tci_host_address_text(&address, out); /* its port is 0 */
    }
    freeifaddrs(list);
    return status;
}

/* Returns whether a port follows the host: "host:7000", "[::1]:7000", not "::1" or "[::1]". */
static bool has_port(const char *text)
{
    const char *colon = strchr(text, ':');
    if (text[0] == '[')
        colon = strstr(text, "]:");
    return colon != NULL && (text[0] == '[' || strchr(colon + 1, ':') == NULL);
}

tc_status tci_own_address(const char *setting, bool all_local,
                          char listen_out[TCI_OWN_ADDRESS_TEXT_MAX], tc_error *err)
{
    if (setting[0] == '\0' && !all_local)
        return tci_error_set(err, TC_E_INVALID, "%s", nothing_set);
    if (setting[0] == '\0') {
        (void)snprintf(listen_out, TCI_OWN_ADDRESS_TEXT_MAX, "127.0.0.1:0");
        return TC_OK;
    }
    if (if_nametoindex(setting) != 0)
        return interface_address(setting, listen_out, err);
    bool bare_v6 = !has_port(setting) && setting[0] != '[' && strchr(setting, ':') != NULL;
    int n = snprintf(listen_out, TCI_OWN_ADDRESS_TEXT_MAX, "%s%s%s%s", bare_v6 ? "[" : "",
                     setting, bare_v6 ? "]" : "", has_port(setting) ? "" : ":0");
    if (n >= TCI_OWN_ADDRESS_TEXT_MAX)
        return tci_error_set(err, TC_E_INVALID, "group_address: '%.300s' is too long", setting);
    return TC_OK;
}

tc_status tci_own_address_with_port(const char *listen, uint16_t port,
                                    char address_out[TCI_OWN_ADDRESS_TEXT_MAX], tc_error *err)
{
    const char *colon = strrchr(listen, ':');
    size_t host = colon != NULL ? (size_t)(colon - listen) : strlen(listen);
    int n = snprintf(address_out, TCI_OWN_ADDRESS_TEXT_MAX, "%.*s:%u", (int)host, listen, port);
    if (n >= TCI_OWN_ADDRESS_TEXT_MAX)
        return tci_error_set(err, TC_E_INVALID, "group_address: '%.300s' is too long", listen);
    return TC_OK;
}
