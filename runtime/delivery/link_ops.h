/* What a kind of link does: the seam between those who send and what carries it. link.h says
 * what each of these calls promises. */
#ifndef TCI_LINK_OPS_H
#define TCI_LINK_OPS_H

#include "delivery/link.h"

typedef struct tci_link_ops {
    bool is_stream;
    size_t part_bytes;
    tc_status (*ready)(tci_link *link, tc_error *err);
    void (*close)(tci_link *link, uint64_t timeout_ns);
    void (*flush_begin)(tci_link *link);
    bool (*flush_ended)(tci_link *link);
    bool (*turn)(tci_link *link);                                         /* NULL: need not */
    void (*look_for_peer)(tci_link *link, uint64_t now_ns, bool closely); /* NULL: need not */
    tc_status (*error)(const tci_link *link, tc_error *err);
    void (*put_aside)(tci_link *link);                                     /* NULL: need not */
    void (*set_peer)(tci_link *link, uint16_t connection, uint64_t token); /* NULL: need not */
    tc_status (*post)(tci_link *link, tci_am kind, const void *bytes, size_t size,
                      tc_error *err);
    tc_status (*send)(tci_link *link, tci_am kind, uint16_t place, tci_link_op *op,
                      const void *bytes, size_t size, bool *under_way_out);
    tc_status (*send_payload)(tci_link *link, uint16_t number, tci_payload_header *header,
                              tci_link_op *op, const void *bytes, size_t size,
                              bool *under_way_out);
} tci_link_ops;

/* What every link starts with. */
struct tci_link {
    const tci_link_ops *ops;
};

#endif
