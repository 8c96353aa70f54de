#include "io/expression.hpp"

#include "graph/format_rules.hpp"
#include "graph/similar_names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

namespace antiphon::io {

namespace rule = graph_rules;

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

namespace {

constexpr Unit sizes[] = {{"B", 1},      {"KiB", 1 << 10},  {"MiB", 1 << 20},     {"GiB", 1 << 30},
                          {"kB", 1'000}, {"MB", 1'000'000}, {"GB", 1'000'000'000}};
constexpr Unit times[] = {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Recursive descent over sums, products and primaries. After the first fault it reads no further.
class Expression {
 public:
  Expression(const Snippet& text, const Parameters& parameters, Faults& faults)
      : text_(text), parameters_(parameters), faults_(faults) {}

  std::optional<std::int64_t> read() { return sum(0); }
  std::size_t end() const noexcept { return at_; }

 private:
  static constexpr int deepest = 64;

  void skip_blanks() {
    while (is_blank(text_[at_])) ++at_;
  }
  std::nullopt_t fail(const Rule& which, std::string message, std::size_t begin, std::size_t length,
                      std::string help = {}) {
    faults_.add(which, std::move(message), text_.sub(begin, length).place(), std::move(help));
    return std::nullopt;
  }

  std::optional<std::int64_t> sum(int depth) {
    skip_blanks();
    const auto begin = at_;
    auto left = product(depth);
    while (left) {
      skip_blanks();
      const char sign = text_[at_];
      if (sign != '+' && sign != '-') break;
      ++at_;
      const auto right = product(depth);
      if (!right) return std::nullopt;
      std::int64_t value = 0;
      const bool over = sign == '+' ? __builtin_add_overflow(*left, *right, &value)
                                    : __builtin_sub_overflow(*left, *right, &value);
      if (over) return overflow(begin);
      left = value;
    }
    return left;
  }

  std::optional<std::int64_t> product(int depth) {
    skip_blanks();
    const auto begin = at_;
    auto left = primary(depth);
    while (left) {
      skip_blanks();
      const char sign = text_[at_];
      if (sign != '*' && sign != '/' && sign != '%') break;
      ++at_;
      skip_blanks();
      const auto divisor_at = at_;
      const auto right = primary(depth);
      if (!right) return std::nullopt;
      std::int64_t value = 0;
      if (sign == '*') {
        if (__builtin_mul_overflow(*left, *right, &value)) return overflow(begin);
      } else {
        if (*right == 0) {
          return fail(
              rule::division_by_zero,
              fmt::format("{} divides by zero", quote(text_.value().substr(begin, at_ - begin))),
              divisor_at, at_ - divisor_at);
        }
        // The one quotient that does not fit.
        if (*right == -1 && *left == std::numeric_limits<std::int64_t>::min())
          return overflow(begin);
        value = sign == '/' ? *left / *right : *left % *right;
      }
      left = value;
    }
    return left;
  }

  std::optional<std::int64_t> primary(int depth) {
    skip_blanks();
    const auto begin = at_;
    const char first = text_[at_];
    if (first == '(' || first == '-' || first == '+') {
      if (depth == deepest) {
        return fail(rule::too_deep,
                    fmt::format("an expression is nested more than {} deep", deepest), begin, 1);
      }
      ++at_;
      if (first == '+') return primary(depth + 1);
      if (first == '-') return negated(begin, depth);
      const auto value = sum(depth + 1);
      if (!value) return std::nullopt;
      skip_blanks();
      if (text_[at_] != ')') {
        return fail(rule::bad_number, "this parenthesis is not closed", begin, 1);
      }
      ++at_;
      return value;
    }
    if (is_digit(first)) return number();
    if (begins_name(first)) return parameter();
    if (text_.value().empty()) return fail(rule::bad_number, "a number is missing", begin, 0);
    return fail(rule::bad_number,
                first == '\0'
                    ? fmt::format("{} ends where a number should follow", quote(text_.value()))
                    : fmt::format("{} is not a number", quote(text_.value().substr(begin))),
                begin, text_.size() - begin,
                "a number is an integer, or an expression over the graph's parameters");
  }

  std::optional<std::int64_t> negated(std::size_t begin, int depth) {
    const auto value = primary(depth + 1);
    if (!value) return std::nullopt;
    if (*value == std::numeric_limits<std::int64_t>::min()) return overflow(begin);
    return -*value;
  }

  std::optional<std::int64_t> number() {
    const auto begin = at_;
    while (is_digit(text_[at_])) ++at_;
    const auto digits = text_.value().substr(begin, at_ - begin);
    // `1.5`, `1e6`, `0x10`: read as a whole, so that the message shows all of it.
    const char next = text_[at_];
    if (next == '.' || ((next == 'e' || next == 'x') && (is_digit(text_[at_ + 1])))) {
      while (is_digit(text_[at_]) || begins_name(text_[at_]) || text_[at_] == '.') ++at_;
      return fail(
          rule::bad_number,
          fmt::format("{} is not an integer", quote(text_.value().substr(begin, at_ - begin))),
          begin, at_ - begin);
    }
    std::int64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec != std::errc{}) return overflow(begin);
    return value;
  }

  std::optional<std::int64_t> parameter() {
    const auto begin = at_;
    while (begins_name(text_[at_]) || is_digit(text_[at_])) ++at_;
    const auto name = text_.value().substr(begin, at_ - begin);
    const auto* value = parameters_.find(name);
    if (value != nullptr) return *value;
    if (parameters_.comes_later(name)) {
      return fail(rule::unknown_parameter,
                  fmt::format("{} is declared further down, or by itself", quote(name)), begin,
                  name.size(), "a parameter is computed from those above it: put it higher up");
    }
    const auto near = faults_.may_compare(parameters_.names().size())
                          ? nearest_names(name, parameters_.names())
                          : std::string();
    return fail(
        rule::unknown_parameter, fmt::format("{} is neither a number nor a parameter", quote(name)),
        begin, name.size(),
        !near.empty() ? near : "what is wanted is a number, or a name that `parameters` declares");
  }

  std::nullopt_t overflow(std::size_t begin) {
    return fail(rule::number_too_large,
                fmt::format("{} does not fit into 64 bits",
                            quote(text_.value().substr(begin, at_ - begin))),
                begin, at_ - begin);
  }

  const Snippet& text_;
  const Parameters& parameters_;
  Faults& faults_;
  std::size_t at_ = 0;
};

std::string unit_names(const Unit* begin, const Unit* end) {
  std::string names;
  for (const auto* unit = begin; unit != end; ++unit) {
    if (!names.empty()) names += ", ";
    names += unit->name;
  }
  return names;
}

// `1.5` as 15 and 10; nothing when `text` does not begin with a decimal fraction.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  std::size_t length = 0;
};
std::optional<Fraction> leading_fraction(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == 0 || at + 1 >= text.size() || text[at] != '.' || !is_digit(text[at + 1]))
    return std::nullopt;
  std::string digits(text.substr(0, at));
  Fraction result;
  for (++at; at < text.size() && is_digit(text[at]); ++at) {
    digits += text[at];
    if (__builtin_mul_overflow(result.denominator, 10, &result.denominator)) return std::nullopt;
  }
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), result.numerator);
  if (read.ec != std::errc{}) return std::nullopt;
  result.length = at;
  return result;
}

}  // namespace

bool Parameters::add(std::string name, std::int64_t value) {
  if (!values_.emplace(name, value).second) return false;
  names_.push_back(std::move(name));
  return true;
}

void Parameters::add_unreadable(std::string name) {
  if (values_.emplace(name, std::nullopt).second) names_.push_back(std::move(name));
}

const std::optional<std::int64_t>* Parameters::find(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> Numbers::integer(const Snippet& text) const {
  auto rest = text.trimmed();
  const auto value = leading_integer(rest);
  if (!value || rest.size() == 0) return value;
  faults_.add(rule::bad_number, fmt::format("{} is not a number", quote(text.trimmed().value())),
              rest.place(), "a number is an integer, or an expression over the graph's parameters",
              "this is too much");
  return std::nullopt;
}

std::optional<std::int64_t> Numbers::leading_integer(Snippet& text) const {
  // Most numbers are just digits.
  std::int64_t value = 0;
  const auto digits = text.value();
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec == std::errc{} && read.ptr == digits.data() + digits.size()) {
    text = text.sub(digits.size());
    return value;
  }
  Expression expression(text, parameters_, faults_);
  const auto result = expression.read();
  text = text.sub(expression.end()).trimmed();
  return result;
}

std::optional<std::int64_t> Numbers::scaled(Snippet& text, const Unit* begin, const Unit* end,
                                            const Rule& bad, std::string_view what) const {
  const auto whole = text.trimmed();
  auto rest = whole;
  std::int64_t denominator = 1;
  std::optional<std::int64_t> amount;
  if (const auto fraction = leading_fraction(whole.value())) {
    amount = fraction->numerator;
    denominator = fraction->denominator;
    rest = whole.sub(fraction->length).trimmed();
  } else {
    amount = leading_integer(rest);
  }
  if (!amount) return std::nullopt;
  std::size_t length = 0;
  while (begins_name(rest[length])) ++length;
  const auto name = rest.value().substr(0, length);
  const Unit* unit = begin;
  while (unit != end && unit->name != name) ++unit;
  if (unit == end) {
    const auto units = unit_names(begin, end);
    if (name.empty()) {
      faults_.add(bad, fmt::format("the {} {} has no unit", what, quote(whole.value())),
                  whole.place(), fmt::format("add one of {}", units));
    } else {
      faults_.add(bad, fmt::format("{} is not a unit of a {}", quote(name), what),
                  rest.sub(0, length).place(), fmt::format("the units are {}", units));
    }
    return std::nullopt;
  }
  const auto used = whole.sub(0, whole.size() - rest.size() + length);
  std::int64_t value = 0;
  if (__builtin_mul_overflow(*amount, unit->factor, &value)) {
    faults_.add(rule::number_too_large,
                fmt::format("{} does not fit into 64 bits", quote(used.value())), used.place());
    return std::nullopt;
  }
  if (value % denominator != 0) {
    faults_.add(bad,
                fmt::format("{} is not a whole number of {}", quote(used.value()), begin->name),
                used.place());
    return std::nullopt;
  }
  text = rest.sub(length).trimmed();
  return value / denominator;
}

std::optional<std::int64_t> Numbers::leading_size(Snippet& text) const {
  return scaled(text, std::begin(sizes), std::end(sizes), rule::bad_size, "size");
}

std::optional<std::int64_t> Numbers::time(const Snippet& text) const {
  auto rest = text;
  const auto value = scaled(rest, std::begin(times), std::end(times), rule::bad_cost, "time");
  if (!value || rest.size() == 0) return value;
  faults_.add(rule::bad_cost, fmt::format("{} is not a time", quote(text.trimmed().value())),
              rest.place(), "a time is a number and a unit, as 2 ms", "this is too much");
  return std::nullopt;
}

}  // namespace antiphon::io
