// The source for tc-clang, once for each name.
#include "readings.hpp"
