// SDF3 XML (Stuijk, Geilen, Basten: SDF3, SDF For Free, ACSD 2006), types sdf and csdf, with
// Kiter's initial phases (`a,b;c,d`).
#pragma once

#include "graph/model.hpp"
#include "io/text.hpp"

#include <string>

namespace antiphon::io {

// The application graph of an SDF3 file. Goes on after a fault, as the reader of the other format
// does. What a graph does not consist of (processors but for their times, buffer sizes, throughput
// constraints) is passed over.
GraphModel read_sdf3(const Text& text, Faults& faults, std::string fallback_name);

}  // namespace antiphon::io
