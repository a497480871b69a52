#include "several_by_hand.h"

TC_PROTOTYPE(blend_c, PAIRS_BLEND);
TC_PROTOTYPE(gather_c, PAIRS_GATHER);
TC_PROTOTYPE(join_c, PAIRS_JOIN);
SEVERAL_ENTRY(blend, c)
SEVERAL_ENTRY(gather, c)
SEVERAL_ENTRY(join, c)
