/* The public function of the module holes in a build without it: it reports that it is absent.
 */
#include "context/absent.h"

#include <tc/abi.h>
#include <tc/ifunc.h>

TCI_ABSENT("holes", tc_ifunc_fill_sized, tc_ifunc *fn, const tc_hole_value *values,
           size_t count, size_t value_size, tc_ifunc **filled_out)
