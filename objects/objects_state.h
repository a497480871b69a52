/* The handle of a rank's objects, and the calls between the parts of this library. */
#ifndef TCO_OBJECTS_STATE_H
#define TCO_OBJECTS_STATE_H

#include "base/error_text.h"
#include "object_request.h"
#include "object_table.h"

#include <tc/object_entry.h>

struct tc_objects {
    tc_object_node node; /* published; first, so that methods lead back to the handle */
    tc_context *context;
    tc_group *group;
    tc_ifunc *runtime; /* the library's own function */
    tco_request_limits limits;
    tco_table table;
    uint32_t arriving; /* records of objects that are not here yet */
    uint64_t users;    /* methods that run or wait inside of objects or for them */
};

static inline tc_objects *tco_objects_of(const tc_object_node *node)
{
    union {
        const tc_object_node *node;
        tc_objects *objects;
    } handle = {node};
    return handle.objects;
}

static inline tco_record *tco_record_of(const tc_object_self *self)
{
    return self->record;
}

#endif
