/* The functions that methods reach by the published node. */
#ifndef TCO_OBJECT_METHODS_H
#define TCO_OBJECT_METHODS_H

#include "objects_state.h"

/* tc_object_node.begin; `method` without a class name accepts any object. */
tc_object_entrance tco_methods_begin(const tc_object_node *node, const tc_object_method *method,
                                     const void *payload, size_t size, int may_wait,
                                     tc_object_self *self_out);

/* Fills the function pointers of a node. */
void tco_methods_fill(tc_object_node *node);

/* Allocates a record with zeroed state that nothing leads to yet.
 *
 *   TC_E_TOO_LARGE  bytes is above state_max
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK tc_status tco_record_create(const tc_objects *objects, const char *class_name,
                                          uint64_t bytes, tco_record **record_out,
                                          tc_error *err);

/* Frees record and state; it is in no table, and nothing waits for it. */
void tco_record_free(tco_record *record);

#endif
