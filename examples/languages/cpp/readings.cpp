// What tc-clang is given, once for each name.
#include "readings.hpp"
