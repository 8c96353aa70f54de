// Sequences of phases: rates and costs.
#include "io/expression.hpp"

#include "graph/format_rules.hpp"

#include <antiphon/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace antiphon::io {

namespace rule = graph_rules;

const PhaseKind rate_kind{&rule::bad_rate, &rule::negative_rate, "rate", false};
const PhaseKind cost_kind{&rule::bad_cost, &rule::negative_cost, "cost", true};
const PhaseKind unitless_cost_kind{&rule::bad_cost, &rule::negative_cost, "cost", false};

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// `(…)`, and the parenthesis at its end is the one that was opened at its begin.
bool is_parenthesised(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return false;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return false;
  }
  return true;
}

// Without the letters of a unit at its end.
std::string_view without_unit(std::string_view text) {
  const auto end = text.find_last_of("0123456789)");
  return end == std::string_view::npos ? text : text.substr(0, end + 1);
}

struct Stars {
  std::size_t count = 0;
  std::size_t first = 0;
};
Stars outer_stars(std::string_view text) {
  Stars stars;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == '*' && depth == 0 && stars.count++ == 0) stars.first = i;
  }
  return stars;
}

class Phases {
 public:
  Phases(const PhaseKind& kind, const Numbers& numbers, Faults& faults)
      : kind_(kind), numbers_(numbers), faults_(faults) {}

  // `n*m`, or a number.
  void run(const Snippet& given, std::vector<PhaseRun>& runs) {
    const auto text = given.trimmed();
    PhaseRun read{1, 0};
    auto value_text = text;
    if (const auto stars = outer_stars(text.value()); stars.count != 0) {
      const auto count_text = text.sub(0, stars.first).trimmed();
      value_text = text.sub(stars.first + 1).trimmed();
      const auto operand = kind_.time ? without_unit(value_text.value()) : value_text.value();
      const bool clear = stars.count == 1 &&
                         (is_number(count_text.value()) || is_parenthesised(count_text.value())) &&
                         (is_number(operand) || is_parenthesised(operand));
      if (!clear && !is_negative(count_text, operand)) return ambiguous(text);
      const auto count = numbers_.integer(count_text);
      if (!count) return fail();
      if (*count < 0) {
        return fail(*kind_.bad, fmt::format("a number of phases is negative: {}", *count),
                    count_text);
      }
      read.count = *count;
    }
    const auto value = kind_.time ? numbers_.time(value_text) : numbers_.integer(value_text);
    if (!value) return fail();
    read.value = *value;
    if (read.value < 0) {
      return fail(*kind_.negative, fmt::format("the {} is negative: {}", kind_.what, read.value),
                  value_text);
    }
    runs.push_back(read);
  }

  // Runs with commas between them.
  void runs_of(const Snippet& text, std::vector<PhaseRun>& runs) {
    const auto value = text.value();
    std::size_t begin = 0;
    for (;;) {
      const auto comma = value.find(',', begin);
      run(text.sub(begin, comma == std::string_view::npos ? comma : comma - begin), runs);
      if (comma == std::string_view::npos) return;
      begin = comma + 1;
    }
  }

  std::optional<PhaseSequence> make(std::vector<PhaseRun> initial, std::vector<PhaseRun> periodic,
                                    const Place& place) {
    if (failed_) return std::nullopt;
    std::int64_t phases = 0;
    for (const auto& run : periodic) phases |= run.count;
    if (phases == 0) {
      faults_.add(*kind_.bad, fmt::format("a {} needs at least one phase that repeats", kind_.what),
                  place);
      return std::nullopt;
    }
    try {
      return PhaseSequence(std::move(initial), std::move(periodic));
    } catch (const Error&) {
      // Values and counts are not negative, so the sum is what was refused.
      faults_.add(rule::number_too_large,
                  fmt::format("a {}, its phases or their sum over one cycle is larger than 2^62",
                              kind_.what),
                  place);
      return std::nullopt;
    }
  }

  void fail() { failed_ = true; }
  void fail(const Rule& which, std::string message, const Snippet& at, std::string help = {}) {
    faults_.add(which, std::move(message), at.place(), std::move(help));
    failed_ = true;
  }

 private:
  // A sign before a number is clear; what is wrong with it is said where its value is known.
  static bool is_negative(const Snippet& count, std::string_view operand) {
    const auto number = [](std::string_view text) {
      return is_number(text) || (text.size() > 1 && text[0] == '-' && is_number(text.substr(1)));
    };
    return number(count.value()) && number(operand);
  }

  void ambiguous(const Snippet& text) {
    fail(*kind_.bad,
         fmt::format("{} could be a product or a number of phases", quote(text.value())), text,
         kind_.time
             ? "write (n*m) ms for the product, (n)*(m) ms for n phases of m ms"
             : fmt::format("write ({}) for the product, (n)*(m) for n phases of m", text.value()));
  }

  const PhaseKind& kind_;
  const Numbers& numbers_;
  Faults& faults_;
  bool failed_ = false;
};

// One phase, or a list of them.
void read_part(const Node& node, const Text& text, const PhaseKind& kind, Phases& phases,
               Faults& faults, std::vector<PhaseRun>& runs) {
  if (node.is_scalar()) return phases.runs_of(node.snippet(text), runs);
  if (!node.is_list()) {
    faults.add(*kind.bad,
               fmt::format("the phases of a {} are a number or a list, and this is {}", kind.what,
                           describe(node.kind)),
               node.place(text));
    return phases.fail();
  }
  for (const auto& child : node.children) {
    if (child.is_scalar()) {
      phases.run(child.snippet(text), runs);
      continue;
    }
    faults.add(*kind.bad,
               fmt::format("one phase of a {} is a number, and this is {}", kind.what,
                           describe(child.kind)),
               child.place(text));
    phases.fail();
  }
}

}  // namespace

std::optional<PhaseSequence> read_phases(const Snippet& text, const PhaseKind& kind,
                                         const Numbers& numbers, Faults& faults) {
  Phases phases(kind, numbers, faults);
  std::vector<PhaseRun> initial;
  std::vector<PhaseRun> periodic;
  const auto semicolon = text.value().find(';');
  if (semicolon != std::string_view::npos) {
    phases.runs_of(text.sub(0, semicolon), initial);
    const auto rest = text.sub(semicolon + 1);
    if (const auto second = rest.value().find(';'); second != std::string_view::npos) {
      phases.fail(*kind.bad, fmt::format("{} has two semicolons", quote(text.value())),
                  rest.sub(second, 1), "initial phases, one semicolon, the phases that repeat");
    } else {
      phases.runs_of(rest, periodic);
    }
  } else {
    phases.runs_of(text, periodic);
  }
  return phases.make(std::move(initial), std::move(periodic), text.place());
}

std::optional<PhaseSequence> read_phases(const Node& node, const Text& text, const PhaseKind& kind,
                                         const Numbers& numbers, Faults& faults) {
  if (node.is_scalar()) return read_phases(node.snippet(text), kind, numbers, faults);
  Phases phases(kind, numbers, faults);
  std::vector<PhaseRun> initial;
  std::vector<PhaseRun> periodic;
  if (!node.is_map()) {
    read_part(node, text, kind, phases, faults, periodic);
    return phases.make(std::move(initial), std::move(periodic), node.place(text));
  }
  bool then = false;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto& key = node.children[i];
    if (key.text == "initial") {
      read_part(node.children[i + 1], text, kind, phases, faults, initial);
    } else if (key.text == "then") {
      then = true;
      read_part(node.children[i + 1], text, kind, phases, faults, periodic);
    } else if (key.text.substr(0, 2) != "x-") {
      faults.add(rule::unknown_key, fmt::format("a {} has no key {}", kind.what, quote(key.text)),
                 key.place(text), "its keys are initial and then");
      phases.fail();
    }
  }
  if (!then) {
    faults.add(rule::missing_key,
               fmt::format("a {} with initial phases needs the key 'then'", kind.what),
               node.place(text), "then: […] has the phases that repeat");
    return std::nullopt;
  }
  return phases.make(std::move(initial), std::move(periodic), node.place(text));
}

}  // namespace antiphon::io
