/* The operations of a kind of link: the interface between senders and the carrier. link.h
 * describes each of these calls. */
#ifndef TCI_LINK_OPS_H
#define TCI_LINK_OPS_H

#include "delivery/link.h"

typedef struct tci_link_ops {
    unsigned carries;  /* bits of tci_link_use */
    const char *lacks; /* why it carries nothing else, for errors */
    size_t part_bytes;
    tc_status (*ready)(tci_link *link, tc_error *err);
    void (*close)(tci_link *link, uint64_t timeout_ns);
    void (*flush_begin)(tci_link *link);
    bool (*flush_ended)(tci_link *link);
    bool (*turn)(tci_link *link);                                         /* may be NULL */
    bool (*has_bytes)(const tci_link *link);                              /* may be NULL */
    void (*watch_space)(tci_link *link, bool sleeps);                     /* may be NULL */
    void (*look_for_peer)(tci_link *link, uint64_t now_ns, bool closely); /* may be NULL */
    tc_status (*error)(const tci_link *link, tc_error *err);
    void (*put_aside)(tci_link *link);                                     /* may be NULL */
    void (*set_peer)(tci_link *link, uint16_t connection, uint64_t token); /* may be NULL */
    tc_status (*post)(tci_link *link, tci_am kind, const void *bytes, size_t size,
                      tc_error *err);
    tc_status (*send)(tci_link *link, tci_am kind, uint16_t position, tci_link_op *op,
                      const void *bytes, size_t size, bool *under_way_out);
    tc_status (*send_payload)(tci_link *link, uint16_t number, tci_payload_header *header,
                              tci_link_op *op, const void *bytes, size_t size,
                              bool *under_way_out);
} tci_link_ops;

/* The first member of every link. */
struct tci_link {
    const tci_link_ops *ops;
};

#endif
