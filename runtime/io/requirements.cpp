#include "io/requirements.hpp"

#include "base/int128.hpp"
#include "graph/format_rules.hpp"
#include "io/fields.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace antiphon::io {

namespace rule = graph_rules;

namespace {

constexpr std::array<std::string_view, 3> requirement_keys{"throughput", "latency", "memory"};
constexpr std::array<std::string_view, 4> latency_keys{"from", "to", "within", "every"};
constexpr std::array<std::string_view, 2> allowance_keys{"of", "reason"};

constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> units{
    {{"ns", 1},
     {"us", 1'000},
     {"ms", 1'000'000},
     {"s", 1'000'000'000},
     {"min", 60'000'000'000},
     {"h", 3'600'000'000'000}}};

std::optional<Rational> quotient(Int128 over, Int128 under) {
  const auto common = gcd(over, under);
  if (over / common > INT64_MAX || under / common > INT64_MAX) return std::nullopt;
  return Rational(static_cast<std::int64_t>(over / common),
                  static_cast<std::int64_t>(under / common));
}

// "59.94"; nothing: it is no number with a point.
std::optional<std::pair<std::int64_t, std::int64_t>> decimal(std::string_view text) {
  std::int64_t value = 0;
  std::int64_t scale = 0;
  for (const char c : text) {
    if (c == '.' && scale == 0) {
      scale = 1;
    } else if (c >= '0' && c <= '9' && value < INT64_MAX / 100 && scale < 1'000'000'000) {
      value = 10 * value + (c - '0');
      scale *= 10;
    } else {
      return std::nullopt;
    }
  }
  if (scale < 10) return std::nullopt;
  return std::pair{value, scale};
}

class Reader {
 public:
  Reader(Semantics semantics, const Text& text, const Numbers& numbers, Faults& faults)
      : sdf3_(semantics == Semantics::sdf3), text_(text), numbers_(numbers), faults_(faults) {}

  Requirements read(const Node& node) {
    Requirements result;
    if (!expect(Node::Kind::map, node, "'require'", text_, faults_)) return result;
    const Fields fields(node, requirement_keys, "'require'", text_, faults_);
    if (const auto* throughput = fields.find("throughput")) {
      read_throughput(*throughput, result.throughput);
    }
    if (const auto* latency = fields.find("latency")) {
      if (latency->is_list()) {
        for (const auto& one : latency->children) read_latency(one, result.latency);
      } else {
        read_latency(*latency, result.latency);
      }
    }
    if (const auto* memory = fields.scalar("memory")) {
      auto rest = memory->snippet(text_);
      if (const auto bytes = numbers_.leading_size(rest)) {
        if (rest.trimmed().size() > 0) {
          faults_.add(rule::bad_requirement, fmt::format("{} is not a size", quote(memory->text)),
                      memory->place(text_), "write it as 64 MiB");
        } else {
          result.memory = MemoryRequirement{*bytes, memory->place(text_)};
        }
      }
    }
    return result;
  }

 private:
  void read_throughput(const Node& node, std::vector<ThroughputRequirement>& requirements) {
    const auto add = [&](std::string actor, const Node& value) {
      if (!value.is_scalar()) {
        faults_.add(rule::bad_requirement,
                    fmt::format("a throughput is a rate, and this is {}", describe(value.kind)),
                    value.place(text_), how());
        return;
      }
      if (const auto rate = read_rate(value.snippet(text_))) {
        requirements.push_back({std::move(actor), *rate, value.place(text_)});
      }
    };
    if (!node.is_map()) return add("", node);
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      const auto& name = node.children[i];
      if (!name.is_scalar() || !check_name(name.snippet(text_), "an actor", faults_)) continue;
      add(std::string(name.text), node.children[i + 1]);
    }
  }

  std::string how() const {
    return sdf3_ ? "write it as 1/960: so many in so many of the graph's units of time"
                 : "write it as 60/s; the units are ns, us, ms, s, min and h";
  }

  // "60/s", "59.94/s", "width/640/ms"; in SDF3's units "1/960", "2".
  std::optional<Rational> read_rate(const Snippet& whole) {
    const auto text = whole.trimmed();
    const auto slash = text.value().rfind('/');
    const auto bad = [&] {
      faults_.add(rule::bad_requirement, fmt::format("{} is not a rate", quote(text.value())),
                  text.place(), how());
      return std::nullopt;
    };
    std::int64_t per = 1;
    if (slash == std::string_view::npos) {
      if (!sdf3_) return bad();
    } else {
      const auto unit = text.sub(slash + 1).trimmed();
      if (sdf3_) {
        const auto number = numbers_.integer(unit);
        if (!number) return std::nullopt;
        per = *number;
      } else {
        per = 0;
        for (const auto& [name, factor] : units) {
          if (name == unit.value()) per = factor;
        }
      }
      if (per < 1) return bad();
    }
    const auto number =
        text.sub(0, slash == std::string_view::npos ? text.size() : slash).trimmed();
    std::int64_t value = 0;
    std::int64_t scale = 1;
    if (const auto point = decimal(number.value())) {
      std::tie(value, scale) = *point;
    } else {
      const auto integer = numbers_.integer(number);
      if (!integer) return std::nullopt;
      value = *integer;
    }
    if (value < 1) return bad();
    const auto rate = quotient(value, Int128{scale} * per);
    if (!rate) return bad();
    return rate;
  }

  void read_latency(const Node& node, std::vector<LatencyRequirement>& requirements) {
    if (!expect(Node::Kind::map, node, "a latency", text_, faults_)) return;
    const Fields fields(node, latency_keys, "a latency", text_, faults_);
    LatencyRequirement latency;
    latency.place = node.place(text_);
    const auto* from = fields.scalar("from");
    const auto* to = fields.scalar("to");
    const auto* within = fields.scalar("within");
    if (from == nullptr || to == nullptr || within == nullptr) {
      for (const std::string_view key : {"from", "to", "within"}) {
        if (fields.find(key) != nullptr) continue;
        faults_.add(rule::missing_key, fmt::format("a latency has no key '{}'", key),
                    node.place(text_), "write it as {from: camera, to: screen, within: 30 ms}");
      }
      return;
    }
    if (!check_name(from->snippet(text_), "an actor", faults_) ||
        !check_name(to->snippet(text_), "an actor", faults_)) {
      return;
    }
    latency.source = from->text;
    latency.sink = to->text;
    const auto most = time(within->snippet(text_));
    if (!most) return;
    latency.most = *most;
    latency.place = within->place(text_);
    if (const auto* every = fields.scalar("every")) {
      latency.every = time(every->snippet(text_));
      if (!latency.every) return;
      if (*latency.every < 0) {
        faults_.add(rule::bad_requirement, "time between two messages is negative",
                    every->place(text_));
        return;
      }
    }
    requirements.push_back(std::move(latency));
  }

  std::optional<std::int64_t> time(const Snippet& text) const {
    return sdf3_ ? numbers_.integer(text) : numbers_.time(text);
  }

  bool sdf3_;
  const Text& text_;
  const Numbers& numbers_;
  Faults& faults_;
};

}  // namespace

Requirements read_requirements(const Node& node, Semantics semantics, const Text& text,
                               const Numbers& numbers, Faults& faults) {
  return Reader(semantics, text, numbers, faults).read(node);
}

std::vector<Allowance> read_allowances(const Node& node, const Text& text, Faults& faults) {
  std::vector<Allowance> result;
  if (!expect(Node::Kind::map, node, "'allow'", text, faults)) return result;
  const auto no_reason = [&](const Node& where, std::string_view code) {
    faults.add(rule::bad_allowance, fmt::format("{} is allowed without a reason", quote(code)),
               where.place(text), fmt::format("write {}: and why it is all right here", code));
  };
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto& key = node.children[i];
    const auto& value = node.children[i + 1];
    if (!key.is_scalar() || !check_name(key.snippet(text), "a rule", faults)) continue;
    const auto add = [&](std::string of, const Node* reason) {
      if (reason == nullptr || !reason->is_scalar() ||
          reason->text.find_first_not_of(" \t\n") == std::string::npos) {
        return no_reason(key, std::string(key.text));
      }
      if (!check_name(reason->snippet(text), "a reason", faults)) return;
      result.push_back(
          {std::string(key.text), std::move(of), std::string(reason->text), key.place(text)});
    };
    const auto add_map = [&](const Node& one) {
      if (!expect(Node::Kind::map, one, "what is allowed", text, faults)) return;
      const Fields fields(one, allowance_keys, "what is allowed", text, faults);
      const auto* of = fields.scalar("of");
      if (of == nullptr) {
        faults.add(rule::missing_key, "what is allowed of one thing has no key 'of'",
                   one.place(text), "name the actor, the channel or the resource");
        return;
      }
      if (!check_name(of->snippet(text), "what is allowed", faults)) return;
      add(std::string(of->text), fields.find("reason"));
    };
    if (value.is_list()) {
      for (const auto& one : value.children) add_map(one);
    } else if (value.is_map()) {
      add_map(value);
    } else {
      add("", value.is_null() ? nullptr : &value);
    }
  }
  return result;
}

}  // namespace antiphon::io
