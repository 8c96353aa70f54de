#include "low/low.hpp"

#include "high/high.hpp"
