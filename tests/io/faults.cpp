// Each fault of the format, with its place and its words.
#include "graph/format_rules.hpp"
#include "graph/similar_names.hpp"
#include "io/support.hpp"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace antiphon;
using namespace antiphon::io::test;

namespace {

using Found = std::vector<std::string>;

// Faults of a graph that is right but for `rest`, which begins on line 3.
Found in_graph(const std::string& rest) {
  return faults(graph(rest));
}
// Faults of an actor `a`; its map begins at 4:6.
Found in_actor(const std::string& fields) {
  return in_graph("actors:\n  a: {" + fields + "}\n");
}
// Faults of a channel between ports of type int32; it begins at 7:5.
Found in_channel(const std::string& channel) {
  return in_graph("actors:\n  a: {out: {x: int32}}\n  b: {in: {y: int32}}\nchannels:\n  - " +
                  channel + "\n");
}

std::string help_of(const std::string& text) {
  const auto report = report_of(text);
  return report.diagnostics.empty() ? "" : report.diagnostics[0].help;
}

}  // namespace

TEST_CASE("the format must be said and be known") {
  CHECK(faults("actors: {}\n") == Found{"1:1 missing-key: the graph does not say its format"});
  CHECK(faults("format: 2\nactors: {}\n") ==
        Found{"1:9 unknown-format: the format '2' is not known"});
  CHECK(faults("format: [1]\nactors: {}\n") ==
        Found{"1:9 wrong-kind: 'format' is a single value, and this is a list"});
  CHECK(faults("format: 1\nsemantics: kpn\nactors: {}\n") ==
        Found{"2:12 unknown-format: 'kpn' is not a kind of semantics"});
}

TEST_CASE("unknown keys are told at every level, with what is near") {
  CHECK(in_graph("actor: {}\nactors: {}\n") ==
        Found{"3:1 unknown-key: a graph has no key 'actor'"});
  CHECK(help_of(graph("actor: {}\nactors: {}\n")) == "the nearest is 'actors'");
  CHECK(in_actor("kernal: x") == Found{"4:7 unknown-key: the actor 'a' has no key 'kernal'"});
  CHECK(in_actor("name: b") == Found{"4:7 unknown-key: the actor 'a' has no key 'name'"});
  CHECK(in_actor("in: {x: {rat: 1}}") == Found{"4:16 unknown-key: a port has no key 'rat'"});
  CHECK(in_actor("in: {x: {type: {nam: x}}}") ==
        Found{"4:23 unknown-key: a type has no key 'nam'"});
  CHECK(in_channel("{from: a.x, to: b.y, capactiy: 3}") ==
        Found{"7:26 unknown-key: a channel has no key 'capactiy'"});
  CHECK(in_channel("{from: {actor: a, prot: x}, to: b.y}") ==
        Found{"7:23 unknown-key: an end of a channel has no key 'prot'",
              "7:12 missing-key: an end of a channel needs the keys 'actor' and 'port'"});
  CHECK(help_of(graph("zzz: 1\nactors: {}\n")) ==
        "its keys are format, graph, semantics, parameters, types, actors, channels, require, "
        "allow; those that "
        "begin "
        "with x- are free");
}

TEST_CASE("what is wrong with requirements and allowances is told") {
  const auto required = [](const std::string& text) {
    return in_graph("actors: {}\nrequire: {" + text + "}\n");
  };
  CHECK(required("throughput: 60") == Found{"4:23 bad-requirement: '60' is not a rate"});
  CHECK(required("throughput: 60/y") == Found{"4:23 bad-requirement: '60/y' is not a rate"});
  CHECK(required("throughput: 0/s") == Found{"4:23 bad-requirement: '0/s' is not a rate"});
  CHECK(required("throughput: [1/s]") ==
        Found{"4:23 bad-requirement: a throughput is a rate, and this is a list"});
  CHECK(required("throughput: {\"a\\tb\": 1/s}") ==
        Found{"4:24 bad-name: the name of an actor has control characters: 'a\\x09b'"});
  CHECK(required("latency: {from: a, within: 3 ms}") ==
        Found{"4:20 missing-key: a latency has no key 'to'"});
  CHECK(required("latency: {from: a, to: b, within: 3}") ==
        Found{"4:45 bad-cost: the time '3' has no unit"});
  CHECK(required("latency: {from: a, to: b, within: 3 s, every: -1 s}") ==
        Found{"4:57 bad-requirement: time between two messages is negative"});
  CHECK(required("memory: 3 MiB more") ==
        Found{"4:19 bad-requirement: '3 MiB more' is not a size"});
  const auto allowed = [](const std::string& text) {
    return in_graph("actors: {}\nallow: {" + text + "}\n");
  };
  CHECK(allowed("shared-resource: ") ==
        Found{"4:9 bad-allowance: 'shared-resource' is allowed without a reason"});
  CHECK(allowed("shared-resource: {reason: x}") ==
        Found{"4:26 missing-key: what is allowed of one thing has no key 'of'"});
  CHECK(allowed("shared-resource: \"a\\tb\"") ==
        Found{"4:26 bad-name: the name of a reason has control characters: 'a\\x09b'"});
}

TEST_CASE("values of the wrong kind are told") {
  CHECK(in_graph("actors: 3\n") ==
        Found{"3:9 wrong-kind: 'actors' is a map, and this is a single value"});
  CHECK(in_graph("actors: [a]\n") ==
        Found{"3:10 wrong-kind: an actor in a list is a map, and this is a single value"});
  CHECK(in_graph("actors: {}\nchannels: {a: b}\n") ==
        Found{"4:11 wrong-kind: 'channels' is a list, and this is a map"});
  CHECK(in_graph("actors: {a: cpu}\n") ==
        Found{"3:13 wrong-kind: the actor 'a' is a map, and this is a single value"});
  CHECK(in_graph("actors: {}\nparameters: [a]\n") ==
        Found{"4:13 wrong-kind: 'parameters' is a map, and this is a list"});
  CHECK(in_graph("actors: {}\nparameters: {a: [1]}\n") ==
        Found{"4:17 wrong-kind: the parameter 'a' is a number, and this is a list"});
  CHECK(in_graph("actors: {}\ntypes: [a]\n") ==
        Found{"4:8 wrong-kind: 'types' is a map from name to type, and this is a list"});
  CHECK(in_actor("side: [cpu]") ==
        Found{"4:13 wrong-kind: 'side' is a single value, and this is a list"});
  CHECK(in_actor("side: ") ==
        Found{"4:7 wrong-kind: 'side' is a single value, and this is nothing"});
  CHECK(in_actor("in: [x]") == Found{"4:11 wrong-kind: 'in' is a map, and this is a list"});
  CHECK(in_actor("in: {x: [a]}") ==
        Found{"4:15 wrong-kind: a type is a name or a size, and this is a list"});
  CHECK(in_channel("[a.x, b.y]") ==
        Found{"7:5 wrong-kind: a channel is 'a.x -> b.y' or a map, and this is a list"});
  CHECK(in_channel("{from: a.x, to: b.y, values: 3}") ==
        Found{"7:34 wrong-kind: 'values' is a list, and this is a single value"});
}

TEST_CASE("what is missing is told where it is missing") {
  CHECK(faults("format: 1\n") == Found{"1:1 missing-key: the graph has no key 'actors'"});
  CHECK(in_graph("actors:\n  - {side: cpu}\n") ==
        Found{"4:5 missing-key: an actor in a list needs a key 'name'"});
  CHECK(in_actor("ports: [{type: int8}]") ==
        Found{"4:15 missing-key: a port in a list has either 'in' or 'out' with its name"});
  CHECK(in_channel("{from: a.x}") == Found{"7:5 missing-key: a channel needs the key 'to'"});
  CHECK(in_channel("{to: b.y}") == Found{"7:5 missing-key: a channel needs the key 'from'"});
  CHECK(in_channel("{from: a.x, to: b.y, bytes: \"00\"}") ==
        Found{"7:26 missing-key: 'bytes' needs the number of messages, as 'initial'"});
}

TEST_CASE("names can be printed") {
  CHECK(in_graph("actors: {\"\": {}}\n") == Found{"3:11 bad-name: the name of an actor is empty"});
  CHECK(in_graph("actors: {\"a\\x1b[2J\": {}}\n") ==
        Found{"3:10 bad-name: the name of an actor has control characters: 'a\\x1b[2J'"});
  CHECK(in_graph("actors: {}\nchannels:\n  - a.x\ty -> b.z\n  - {from: a.x, to: {actor: b, port: "
                 "\"\\t\"}}\n") ==
        Found{"5:7 bad-name: the name of a port has control characters: 'x\\x09y'",
              "6:38 bad-name: the name of a port has control characters: '\\x09'"});
  CHECK(faults("format: 1\ngraph: a\tb\nactors: {}\n") ==
        Found{"2:8 bad-name: the name of a graph has control characters: 'a\\x09b'"});
  CHECK(in_actor("in: {\"\": int8}") == Found{"4:13 bad-name: the name of a port is empty"});
  CHECK(in_graph("actors: {}\nparameters: {2w: 1}\n") ==
        Found{"4:14 bad-name: '2w' cannot be the name of a parameter"});
  CHECK(in_graph("actors: {}\ntypes: {a-b: int8}\n") ==
        Found{"4:9 bad-name: 'a-b' cannot be the name of a type"});
  CHECK(in_graph("actors: {}\ntypes: {int8: int16}\n") ==
        Found{"4:9 bad-name: 'int8' is a type already"});
  CHECK(in_graph("actors: {null: {}}\n") ==
        Found{"3:10 bad-name: a key is a name, and this is nothing"});
  CHECK(in_graph("actors: {[a]: {}}\n") ==
        Found{"3:10 bad-name: a key is a name, and this is a list"});
}

TEST_CASE("ends of channels are actor.port") {
  CHECK(in_channel("a.x => b.y") ==
        Found{"7:5 bad-endpoint: the channel 'a.x => b.y' has no arrow"});
  CHECK(in_channel("a -> b.y") == Found{"7:5 bad-endpoint: 'a' is not actor.port"});
  CHECK(in_channel("a.x ->") == Found{"7:11 bad-endpoint: an end of the channel is missing"});
  CHECK(in_channel("a.x -> b.y,") == Found{"7:16 bad-endpoint: an end of the channel is missing"});
  CHECK(in_channel("a.x.z -> b.y") == Found{"7:5 bad-endpoint: 'a.x.z' is not actor.port"});
  CHECK(in_channel("a.x -> b.y -> c.z") ==
        Found{"7:12 bad-endpoint: 'b.y -> c.z' is not actor.port"});
  CHECK(in_channel("a.x -> [b.y, c]") == Found{"7:18 bad-endpoint: 'c' is not actor.port"});
  CHECK(in_channel("{from: [a.x], to: b.y}") ==
        Found{"7:12 bad-endpoint: an end of a channel is actor.port, and this is a list"});
  CHECK(in_channel("a. -> .y") == Found{"7:5 bad-endpoint: 'a.' is not actor.port",
                                        "7:11 bad-endpoint: '.y' is not actor.port"});
}

TEST_CASE("parameters that are set must be there, and be numbers") {
  const std::string text = graph("parameters: {width: 1}\nactors: {}\n");
  CHECK(faults(text, {{{"widht", "3"}}}) ==
        Found{"unknown-parameter: the graph has no parameter 'widht' to set"});
  CHECK(report_of(text, {{{"widht", "3"}}}).diagnostics[0].help == "the nearest is 'width'");
  CHECK(report_of(text, {{{"zz", "3"}}}).diagnostics[0].help == "its parameters are width");
  CHECK(faults(text, {{{"width", "3x"}}}) == Found{"1:8 bad-number: '3x' is not a number"});
  CHECK(faults(text, {{{"width", ""}}}) == Found{"1:7 bad-number: a number is missing"});
  CHECK(faults(text, {{{"width", "width"}}}) ==
        Found{"1:7 unknown-parameter: 'width' is neither a number nor a parameter"});
  CHECK(faults("<sdf3/>", {{{"w", "1"}}})[0] ==
        "unknown-parameter: the graph has no parameter 'w' to set");
}

TEST_CASE("types that cannot be are told") {
  CHECK(in_actor("in: {x: flaot32}") == Found{"4:15 unknown-type: 'flaot32' is not a type"});
  CHECK(help_of(graph("actors: {a: {in: {x: flaot32}}}\n")) == "the nearest is 'float32'");
  CHECK(in_actor("in: {x: \"float32[0]\"}") ==
        Found{"4:24 bad-type: an array of 0 elements cannot be"});
  CHECK(in_actor("in: {x: \"float32[-1]\"}") ==
        Found{"4:24 bad-type: an array of -1 elements cannot be"});
  CHECK(in_actor("in: {x: \"float32[4\"}") == Found{"4:23 bad-type: this bracket is not closed"});
  CHECK(in_actor("in: {x: \"float32[4]x\"}") == Found{"4:26 bad-type: 'x' cannot follow a type"});
  CHECK(in_actor("in: {x: \"int8[4611686018427387904][2]\"}") ==
        Found{"4:42 number-too-large: the array is larger than 2^62 bytes"});
  CHECK(in_actor("in: {x: \"\"}") == Found{"4:16 bad-type: a type is missing"});
  CHECK(in_actor("in: {x: {type: {align: 0}}}") ==
        Found{"4:30 bad-size: an alignment of 0 cannot be"});
  CHECK(in_actor("in: {x: {type: {size: 12 B, align: 3}}}") ==
        Found{"4:42 bad-size: an alignment of 3 cannot be"});
  CHECK(in_actor("in: {x: {type: {align: 8, size: 12 B}}}") ==
        Found{"4:30 bad-size: 12 bytes are no multiple of the alignment, 8"});
  CHECK(in_actor("in: {x: 4 B align 8}") ==
        Found{"4:25 bad-size: 4 bytes are no multiple of the alignment, 8"});
  const auto types = [](const std::string& text) {
    return in_graph("types:\n" + text + "actors: {}\n");
  };
  CHECK(types("  a: {x: b}\n  b: {y: \"a[2]\"}\n") ==
        Found{"5:11 recursive-type: the type 'a' contains itself"});
  CHECK(types("  a: a\n") == Found{"4:6 recursive-type: the type 'a' contains itself"});
  CHECK(types("  a: {}\n") == Found{"4:6 bad-type: 'a' has no fields"});
  CHECK(types("  a: {x: [int8]}\n") ==
        Found{"4:10 wrong-kind: the field 'x' of 'a' needs a type, and this is a list"});
  CHECK(types("  a: [x]\n") ==
        Found{"4:6 wrong-kind: the type 'a' is a map from field to type, or another "
              "type; this is a list"});
  CHECK(types("  a: {x: \"int8[4611686018427387904]\", y: \"int8[4611686018427387904]\"}\n") ==
        Found{"4:39 number-too-large: 'a' is larger than 2^62 bytes"});
  std::string chain;
  for (int i = 0; i < 1'000; ++i)
    chain += "  t" + std::to_string(i) + ": t" + std::to_string(i + 1) + "\n";
  CHECK(types(chain)[0].find("too-deep: types are nested more than 64 deep") != std::string::npos);
}

TEST_CASE("actors run on one of two sides, and kernels on the GPU") {
  CHECK(in_actor("side: gup") == Found{"4:13 bad-side: 'gup' is not a side"});
  CHECK(in_actor("kernel: a.comp") ==
        Found{"4:7 misplaced-kernel: the actor 'a' has a kernel and runs on the CPU"});
  CHECK(help_of(graph("actors: {a: {kernel: a.comp}}\n")) == "add side: gpu");
  CHECK(in_actor("side: gpu, groups: [1], constants: {0: 1}, entry: e") ==
        Found{"4:18 misplaced-kernel: 'groups' belongs to a kernel, and 'a' has none",
              "4:31 misplaced-kernel: 'constants' belongs to a kernel, and 'a' has none",
              "4:50 misplaced-kernel: 'entry' belongs to a kernel, and 'a' has none"});
  const auto kernel = [](const std::string& rest) {
    return in_actor("side: gpu, kernel: k, " + rest);
  };
  CHECK(kernel("groups: [1, 2, 3, 4]") ==
        Found{"4:37 bad-kernel: groups are up to three numbers, and these are 4"});
  CHECK(kernel("groups: [1, 0]") == Found{"4:41 bad-kernel: a dispatch of 0 groups cannot be"});
  CHECK(kernel("groups: [[1]]") == Found{"4:38 bad-kernel: a number of groups is a list"});
  CHECK(kernel("constants: {a: 1}") ==
        Found{"4:41 bad-kernel: 'a' is not the id of a specialisation constant"});
  CHECK(kernel("constants: {0: 4294967296}") ==
        Found{"4:44 bad-kernel: the constant 4294967296 does not fit into 32 bits"});
  CHECK(in_actor("blocking: yes") == Found{"4:17 bad-flag: 'yes' is neither true nor false"});
  CHECK(in_actor("side: gpu, blocking: true") ==
        Found{"4:28 bad-flag: the actor 'a' runs on the GPU, where nothing blocks a thread"});
  CHECK(in_actor("concurrency: 0") ==
        Found{"4:20 bad-concurrency: the concurrency is less than one: 0"});
  CHECK(in_actor("ports: [], in: {x: int8}") ==
        Found{"4:7 unknown-key: 'ports' stands for 'in' and 'out', and cannot stand beside them"});
}

TEST_CASE("numbers of messages are not negative, and values fit") {
  CHECK(in_channel("{from: a.x, to: b.y, capacity: -1}") ==
        Found{"7:36 negative-capacity: the capacity is negative: -1"});
  CHECK(in_channel("{from: a.x, to: b.y, initial: -1}") ==
        Found{"7:35 negative-initial: the number of initial messages is negative: -1"});
  CHECK(in_channel("{from: a.x, to: b.y, capacity: many}") ==
        Found{"7:36 unknown-parameter: 'many' is neither a number nor a parameter"});
  CHECK(in_channel("{from: a.x, to: b.y, initial: 3, values: [1, 2]}") ==
        Found{"7:46 bad-values: 'values' has 2 messages, and 'initial' says 3"});
  CHECK(in_channel("{from: a.x, to: b.y, values: [2147483648]}") ==
        Found{"7:35 bad-values: '2147483648' does not fit into int32"});
  CHECK(in_channel("{from: a.x, to: b.y, type: uint8, values: [-1]}") ==
        Found{"7:48 bad-values: '-1' does not fit into uint8"});
  CHECK(in_channel("{from: a.x, to: b.y, type: float32, values: [1e39]}") ==
        Found{"7:50 bad-values: '1e39' does not fit into float32"});
  CHECK(in_channel("{from: a.x, to: b.y, type: float16, values: [65520]}") ==
        Found{"7:50 bad-values: '65520' does not fit into float16"});
  CHECK(in_channel("{from: a.x, to: b.y, type: float32, values: [inf]}") ==
        Found{"7:50 bad-values: 'inf' does not fit into float32"});
  CHECK(in_channel("{from: a.x, to: b.y, type: \"int8[3]\", values: [[1, 2]]}") ==
        Found{"7:52 bad-values: this message has 2 values, and a int8[3] has 3"});
  CHECK(in_channel("{from: a.x, to: b.y, values: [{a: 1}]}") ==
        Found{"7:35 bad-values: an initial value is a number, and this is a map"});
  CHECK(in_channel("{from: a.x, to: b.y, type: 4 B, values: [1]}") ==
        Found{"7:45 bad-values: values can only be given for scalars and arrays of scalars"});
  CHECK(in_channel("{from: a.x, to: b.y, type: \"int8[268435457]\", values: [1]}") ==
        Found{"7:60 bad-values: the graph's initial values are larger than 256 MiB"});
  CHECK(in_channel("{from: a.x, to: b.y, initial: 1, bytes: \"0g\"}") ==
        Found{"7:47 bad-values: 'g' is not a hexadecimal digit"});
  CHECK(in_channel("{from: a.x, to: b.y, initial: 1, bytes: \"012\"}") ==
        Found{"7:46 bad-values: the last byte has one digit, and a byte has two"});
  CHECK(in_channel("{from: a.x, to: b.y, values: [1], bytes: \"01\"}") ==
        Found{"7:39 bad-values: 'values' and 'bytes' say the same thing twice"});
  CHECK(in_graph("actors: {a: {out: {x: {}}}, b: {in: {y: {}}}}\nchannels:\n"
                 "  - {from: a.x, to: b.y, values: [1]}\n") ==
        Found{"5:34 bad-values: the type of these values is not said"});
}

TEST_CASE("several faults are told at once, in the file's order") {
  const auto found = in_graph(
      "actors:\n  a: {sid: cpu, cost: 3}\n  b: {in: {x: {rate: -1}}}\nchannels:\n  - a.x = b.x\n");
  CHECK(found == Found{"4:7 unknown-key: the actor 'a' has no key 'sid'",
                       "4:23 bad-cost: the time '3' has no unit",
                       "5:22 negative-rate: the rate is negative: -1",
                       "7:5 bad-endpoint: the channel 'a.x = b.x' has no arrow"});
}

TEST_CASE("faults of names and structure are left to the check") {
  const auto model =
      read(graph("actors: {a: {out: {x: int8, unused: int8}}}\nchannels:\n"
                 "  - a.x -> nobody.y\n  - {from: a.z, to: a.x, capacity: 1, initial: 5}\n"
                 "  - {from: a.x, to: nobody.y, values: [3]}\n  - {from: a.x, to: []}\n"));
  CHECK(model.channels.size() == 4);
}

TEST_CASE("every rule is declared once and says what it means") {
  std::set<std::string_view> codes;
  for (const auto& rule : graph_rules::all) {
    CAPTURE(rule.code);
    CHECK(codes.insert(rule.code).second);
    CHECK_FALSE(rule.summary.empty());
    CHECK_FALSE(rule.explanation.empty());
    CHECK(rule.severity == Severity::error);
  }
}

TEST_CASE("similar names are the nearest first, and at most four") {
  const std::array<std::string_view, 7> names{"width", "height", "with", "wit",
                                              "wide",  "widths", "depth"};
  CHECK(similar_names("widht", names) == std::vector<std::string_view>{"width"});
  CHECK(similar_names("with", names).front() == "with");
  CHECK(similar_names("zzzzzz", names).empty());
  CHECK(nearest_names("wid", names) == "the nearest are 'wit' and 'wide'");
  CHECK(edit_distance("ab", "ba", 3) == 1);
  CHECK(edit_distance("kitten", "sitting", 3) == 3);
  CHECK(edit_distance("abc", "xyz", 1) == 2);
}
