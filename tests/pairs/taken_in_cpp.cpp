#include "functions.h"

extern "C" {
PAIRS_ENTRY(over, cpp)
PAIRS_ENTRY(weigh, cpp)
PAIRS_ENTRY(mixed, cpp)
PAIRS_ENTRY(letters, cpp)
}
