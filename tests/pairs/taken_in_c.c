#include "functions.h"

PAIRS_ENTRY(over, c)
PAIRS_ENTRY(weigh, c)
PAIRS_ENTRY(mixed, c)
PAIRS_ENTRY(letters, c)
