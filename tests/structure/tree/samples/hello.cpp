#include <antiphon/graph.hpp>
#include "low/low.hpp"
