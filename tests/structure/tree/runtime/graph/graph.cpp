#include <antiphon/graph.hpp>
#include <antiphon/unknown.hpp>
