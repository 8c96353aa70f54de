// Expressions and sequences of phases.
#include "io/support.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace antiphon;
using namespace antiphon::io::test;

namespace {

std::int64_t value(const std::string& expression) {
  return *read(graph("parameters: {w: 640, h: 480, p: \"" + expression +
                     "\"}\nactors: {}\nchannels:\n  - {from: a.x, to: b.y, capacity: p}\n"))
              .channels[0]
              .capacity;
}

PhaseSequence rate(const std::string& text) {
  return read(graph(
                  "parameters: {w: 640, h: 480}\nactors:\n  a:\n    in:\n      x:\n        rate: " +
                  text + "\n"))
      .actors[0]
      .ports[0]
      .rate;
}

// The faults of a rate; its first character stands at 5:15.
std::vector<std::string> rate_faults(const std::string& text) {
  return faults(graph("parameters: {w: 640}\nactors:\n  a: {in: {x: {rate: " + text + "}}}\n"));
}

using Found = std::vector<std::string>;

}  // namespace

TEST_CASE("expressions have the usual precedence, and integer division") {
  CHECK(value("1+2*3") == 7);
  CHECK(value("(1+2)*3") == 9);
  CHECK(value("w * h / 2") == 153600);
  CHECK(value("7/2") == 3);
  CHECK(value("7%4 + 10 - 1 - 2") == 10);
  CHECK(value("-(2-5)") == 3);
  CHECK(value("2--3") == 5);
  CHECK(value(" w ") == 640);
  CHECK(value("9223372036854775807") == INT64_MAX);
  CHECK(value("4611686018427387904 + 4611686018427387903") == INT64_MAX);
}

TEST_CASE("rates are numbers, lists, runs and initial phases") {
  CHECK(rate("3") == PhaseSequence(3));
  CHECK(rate("[1, 0, 2]") == PhaseSequence{1, 0, 2});
  CHECK(rate("18*32") == PhaseSequence({}, {{18, 32}}));
  CHECK(rate("[2*1, 3]") == PhaseSequence{1, 1, 3});
  CHECK(rate("1,2*3") == PhaseSequence{1, 3, 3});
  CHECK(rate("\"1;3,1\"") == PhaseSequence({{1, 1}}, {{1, 3}, {1, 1}}));
  CHECK(rate("{initial: [1, 2], then: 3}") == PhaseSequence({{1, 1}, {1, 2}}, {{1, 3}}));
  CHECK(rate("(w*h)") == PhaseSequence(307200));
  CHECK(rate("w/2") == PhaseSequence(320));
  CHECK(rate("(w)*(h)") == PhaseSequence({}, {{640, 480}}));
  CHECK(rate("2*(w)") == PhaseSequence({}, {{2, 640}}));
}

TEST_CASE("long runs stay as short as they were written") {
  const auto long_run = rate("1000000000*1");
  CHECK(long_run.phases() == 1'000'000'000);
  CHECK(long_run.periodic_runs().size() == 1);
  CHECK(rate("[1000000000*1, 1000000000*2]").periodic_runs().size() == 2);
  CHECK(rate("4611686018427387904") == PhaseSequence(PhaseSequence::limit));
}

TEST_CASE("a product with a parameter in it is not guessed at") {
  CHECK(rate_faults("2*w") ==
        Found{"5:22 bad-rate: '2*w' could be a product or a number of phases"});
  CHECK(rate_faults("w*2") ==
        Found{"5:22 bad-rate: 'w*2' could be a product or a number of phases"});
  CHECK(rate_faults("2*3*4") ==
        Found{"5:22 bad-rate: '2*3*4' could be a product or a number of phases"});
}

TEST_CASE("negative and overflowing rates are told at the number") {
  CHECK(rate_faults("-1") == Found{"5:22 negative-rate: the rate is negative: -1"});
  CHECK(rate_faults("[1, 3-4]") == Found{"5:26 negative-rate: the rate is negative: -1"});
  CHECK(rate_faults("3*-2") == Found{"5:24 negative-rate: the rate is negative: -2"});
  CHECK(rate_faults("-3*2") == Found{"5:22 bad-rate: a number of phases is negative: -3"});
  CHECK(rate_faults("4611686018427387905") ==
        Found{"5:22 number-too-large: a rate, its phases or their sum over one cycle is larger "
              "than 2^62"});
  CHECK(rate_faults("9223372036854775808") ==
        Found{"5:22 number-too-large: '9223372036854775808' does not fit into 64 bits"});
  CHECK(rate_faults("4611686018427387904*4611686018427387904") ==
        Found{"5:22 number-too-large: a rate, its phases or their sum over one cycle is larger "
              "than 2^62"});
  CHECK(rate_faults("[4611686018427387904, 1]") ==
        Found{"5:22 number-too-large: a rate, its phases or their sum over one cycle is larger "
              "than 2^62"});
}

TEST_CASE("rates that are none are told") {
  CHECK(rate_faults("[]") == Found{"5:22 bad-rate: a rate needs at least one phase that repeats"});
  CHECK(rate_faults("0*3") == Found{"5:22 bad-rate: a rate needs at least one phase that repeats"});
  CHECK(rate_faults("\"\"") == Found{"5:23 bad-number: a number is missing"});
  CHECK(rate_faults("\"1,,2\"") == Found{"5:25 bad-number: a number is missing"});
  CHECK(rate_faults("\"1;2;3\"") == Found{"5:26 bad-rate: '1;2;3' has two semicolons"});
  CHECK(rate_faults("[[1]]") ==
        Found{"5:23 bad-rate: one phase of a rate is a number, and this is a list"});
  CHECK(rate_faults("{initial: 1}") ==
        Found{"5:22 missing-key: a rate with initial phases needs the key 'then'"});
  CHECK(rate_faults("{then: 1, first: 2}") == Found{"5:32 unknown-key: a rate has no key 'first'"});
  CHECK(rate_faults("1.5") == Found{"5:22 bad-number: '1.5' is not an integer"});
  CHECK(rate_faults("1e3") == Found{"5:22 bad-number: '1e3' is not an integer"});
}

TEST_CASE("expressions that cannot be computed are told at their smallest part") {
  const auto parameter = [](const std::string& text) {
    return faults(graph("parameters: {w: 640, p: \"" + text + "\"}\nactors: {}\n"));
  };
  CHECK(parameter("w+") == Found{"3:28 bad-number: 'w+' ends where a number should follow"});
  CHECK(parameter("w / (w-640)") == Found{"3:30 division-by-zero: 'w / (w-640)' divides by zero"});
  CHECK(parameter("w % 0") == Found{"3:30 division-by-zero: 'w % 0' divides by zero"});
  CHECK(parameter("(w") == Found{"3:26 bad-number: this parenthesis is not closed"});
  CHECK(parameter("w w") == Found{"3:28 bad-number: 'w w' is not a number"});
  CHECK(parameter("4*vv") ==
        Found{"3:28 unknown-parameter: 'vv' is neither a number nor a parameter"});
  CHECK(parameter("p") ==
        Found{"3:26 unknown-parameter: 'p' is declared further down, or by itself"});
  CHECK(parameter("9223372036854775807+1") ==
        Found{"3:26 number-too-large: '9223372036854775807+1' does not fit into 64 bits"});
  CHECK(parameter("3 + 4611686018427387904*2") ==
        Found{"3:30 number-too-large: '4611686018427387904*2' does not fit into 64 bits"});
  CHECK(parameter("(-9223372036854775807-1)/-1") ==
        Found{"3:26 number-too-large: '(-9223372036854775807-1)/-1' does not fit into 64 bits"});
  CHECK(parameter("?") == Found{"3:26 bad-number: '?' is not a number"});
  CHECK(parameter(std::string(10'000, '(')) ==
        Found{"3:90 too-deep: an expression is nested more than 64 deep"});
  CHECK(parameter(std::string(10'000, '-') + "1") ==
        Found{"3:90 too-deep: an expression is nested more than 64 deep"});
}

TEST_CASE("a parameter that could not be read is no fault where it is used") {
  CHECK(
      faults(graph("parameters: {w: 1/0, h: w*2}\nactors: {}\nchannels:\n  - {from: a.x, to: b.y, "
                   "capacity: w}\n")) == Found{"3:19 division-by-zero: '1/0' divides by zero"});
}

TEST_CASE("units are needed, known and exact") {
  const auto cost = [](const std::string& text) {
    return faults(graph("actors:\n  a: {cost: " + text + "}\n"));
  };
  CHECK(cost("3") == Found{"4:13 bad-cost: the time '3' has no unit"});
  CHECK(cost("3 min") == Found{"4:15 bad-cost: 'min' is not a unit of a time"});
  CHECK(cost("0.5 ns") == Found{"4:13 bad-cost: '0.5 ns' is not a whole number of ns"});
  CHECK(cost("-1 ms") == Found{"4:13 negative-cost: the cost is negative: -1000000"});
  CHECK(cost("9223372036854775807 s") ==
        Found{"4:13 number-too-large: '9223372036854775807 s' does not fit into 64 bits"});
  CHECK(cost("1 ms 2") == Found{"4:18 bad-cost: '1 ms 2' is not a time"});
  const auto size = [](const std::string& text) {
    return faults(graph("actors:\n  a: {in: {x: " + text + "}}\n"));
  };
  CHECK(size("64") == Found{"4:15 bad-size: the size '64' has no unit"});
  CHECK(size("64 kb") == Found{"4:18 bad-size: 'kb' is not a unit of a size"});
  CHECK(size("0.3 KiB") == Found{"4:15 bad-size: '0.3 KiB' is not a whole number of B"});
  CHECK(size("0 B") == Found{"4:15 bad-size: a message of 0 bytes cannot be"});
  CHECK(size("-4 B") == Found{"4:15 bad-size: a message of -4 bytes cannot be"});
  CHECK(size("8 B align 3") == Found{"4:25 bad-size: an alignment of 3 cannot be"});
  CHECK(size("9000000000 GiB") ==
        Found{"4:15 number-too-large: '9000000000 GiB' does not fit into 64 bits"});
}

TEST_CASE("a parameter that is declared further down is told from one that is not there") {
  const auto message = [](const std::string& parameters) {
    try {
      parse_graph("format: 1\nparameters: " + parameters + "\nactors: {}\n", "g.yaml");
      return std::string();
    } catch (const UnreadableGraph& error) {
      return error.report().diagnostics.front().message;
    }
  };
  CHECK(message("{w: 4, h: w*2}").empty());
  CHECK(message("{h: w*2, w: 4}") == "'w' is declared further down, or by itself");
  CHECK(message("{w: w + 1}") == "'w' is declared further down, or by itself");
  CHECK(message("{w: x}") == "'x' is neither a number nor a parameter");
}
