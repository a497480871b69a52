/* The public functions of the module holes in a build without it: they report that it is
 * absent. */
#include "context/absent.h"

#include <tc/abi.h>
#include <tc/ifunc.h>

TCI_ABSENT("holes", tc_ifunc_fill_sized, tc_ifunc *fn, const tc_hole_value *values,
           size_t count, size_t value_size, tc_ifunc **filled_out)
TCI_ABSENT_VALUE(0, size_t, tc_ifunc_holes_sized, const tc_ifunc *fn, tc_hole_info *infos,
                 size_t count, size_t info_size)
