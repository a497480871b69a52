#include "sent.hpp"
