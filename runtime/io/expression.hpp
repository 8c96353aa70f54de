// Numbers as graph files write them: integers, expressions over parameters, sizes and times with
// units, and sequences of phases.
#pragma once

#include "io/document.hpp"
#include "io/text.hpp"

#include <antiphon/phase_sequence.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace antiphon::io {

// The graph's parameters and their values, as far as they have been read.
class Parameters {
 public:
  // False when there is one of that name.
  bool add(std::string name, std::int64_t value);
  // One whose value could not be read: using it is no further fault.
  void add_unreadable(std::string name);
  // Null when there is no such parameter; nothing inside when its value could not be read.
  const std::optional<std::int64_t>* find(std::string_view name) const;
  const std::vector<std::string>& names() const noexcept { return names_; }
  // One that is declared further down.
  void add_later(std::string_view name) { later_.emplace(name); }
  bool comes_later(std::string_view name) const { return later_.count(std::string(name)) != 0; }

 private:
  std::unordered_map<std::string, std::optional<std::int64_t>> values_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> later_;
};

// Reads numbers and reports what is wrong with them.
class Numbers {
 public:
  Numbers(const Parameters& parameters, Faults& faults)
      : parameters_(parameters), faults_(faults) {}

  // An integer or an expression that is the whole of `text`.
  std::optional<std::int64_t> integer(const Snippet& text) const;
  // The expression that `text` begins with; `text` becomes what follows it.
  std::optional<std::int64_t> leading_integer(Snippet& text) const;
  // Bytes: an expression and a unit, such as `64 KiB`. `text` becomes what follows.
  std::optional<std::int64_t> leading_size(Snippet& text) const;
  // Nanoseconds: an expression and a unit, such as `2 ms`.
  std::optional<std::int64_t> time(const Snippet& text) const;

 private:
  std::optional<std::int64_t> scaled(Snippet& text, const struct Unit* begin,
                                     const struct Unit* end, const Rule& rule,
                                     std::string_view what) const;

  const Parameters& parameters_;
  Faults& faults_;
};

// How a sequence of phases is named and measured.
struct PhaseKind {
  const Rule* bad;
  const Rule* negative;
  std::string_view what;  // "rate"
  bool time = false;      // its values are times with a unit
};
extern const PhaseKind rate_kind;
extern const PhaseKind cost_kind;           // in ns
extern const PhaseKind unitless_cost_kind;  // sdf3's time units

// `1,3`, `18*32`, `1;3,1`: one cycle of phases, after initial ones before a semicolon.
std::optional<PhaseSequence> read_phases(const Snippet& text, const PhaseKind& kind,
                                         const Numbers& numbers, Faults& faults);
// The same, or a list with one number for each phase, or {initial: […], then: […]}.
std::optional<PhaseSequence> read_phases(const Node& node, const Text& text, const PhaseKind& kind,
                                         const Numbers& numbers, Faults& faults);

}  // namespace antiphon::io
