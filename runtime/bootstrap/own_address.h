/* The address at which a member of a group listens, so that the others reach it. */
#ifndef TCI_OWN_ADDRESS_H
#define TCI_OWN_ADDRESS_H

#include "host_port.h"

/* "name:port" with the longest name, and the terminator */
#define TCI_OWN_ADDRESS_TEXT_MAX 320

/* Returns the address to listen at, from the option group_address: an address or name of this
 * host, with a port or without, or one of its network interfaces ("eth0": its first usable
 * address, IPv4 preferred). Empty: 127.0.0.1 when all members are on this host. TC_E_INVALID:
 * it is empty though members are elsewhere; an interface without an address; a text that is too
 * long. TC_E_IO. */
TC_MUST_CHECK tc_status tci_own_address(const char *setting, bool all_local,
                                        char listen_out[TCI_OWN_ADDRESS_TEXT_MAX],
                                        tc_error *err);

/* Replaces the port that was asked for by the one that was bound. */
TC_MUST_CHECK tc_status tci_own_address_with_port(const char *listen, uint16_t port,
                                                  char address_out[TCI_OWN_ADDRESS_TEXT_MAX],
                                                  tc_error *err);

#endif
