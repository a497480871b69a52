/* Replaces libtchains-pmix.so, with another interface. */
#include "bootstrap/rendezvous.h"

TC_API extern const uint32_t tci_rendezvous_module[8];
const uint32_t tci_rendezvous_module[8] = {TCI_RENDEZVOUS_ABI + 1};
