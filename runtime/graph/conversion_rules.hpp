// What another format has no words for. The check lists these beside its own rules.
#pragma once

#include <antiphon/diagnostic.hpp>

#include <array>

namespace antiphon::conversion_rules {

inline constexpr Rule no_words_for{
    "no-words-for", Severity::warning, "SDF3 has no words for a part of the graph",
    "What SDF3 cannot say is left out or said in other ways, so that the graph's verdict and its "
    "repetition vector stay as they are. docs/format.md has a table of what becomes of what."};

inline constexpr std::array all{no_words_for};

}  // namespace antiphon::conversion_rules
