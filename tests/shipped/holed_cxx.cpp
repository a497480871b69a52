/* As C++. */
#include "holed.c"
