#include "several_by_hand.h"

TC_PROTOTYPE(blend_cpp, PAIRS_BLEND);
TC_PROTOTYPE(gather_cpp, PAIRS_GATHER);
TC_PROTOTYPE(join_cpp, PAIRS_JOIN);
extern "C" {
SEVERAL_ENTRY(blend, cpp)
SEVERAL_ENTRY(gather, cpp)
SEVERAL_ENTRY(join, cpp)
}
