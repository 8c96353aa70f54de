// `require:` and `allow:` of a graph file.
#pragma once

#include "graph/model.hpp"
#include "io/document.hpp"
#include "io/expression.hpp"
#include "io/text.hpp"

#include <vector>

namespace antiphon::io {

Requirements read_requirements(const Node& node, Semantics semantics, const Text& text,
                               const Numbers& numbers, Faults& faults);
std::vector<Allowance> read_allowances(const Node& node, const Text& text, Faults& faults);

}  // namespace antiphon::io
