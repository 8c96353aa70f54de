// Do kernels fit the ports of their actors, and graphs a device?
#include <antiphon/check.hpp>
#include <antiphon/graph.hpp>
#include <antiphon/graph_file.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace antiphon;

namespace {

using Found = std::vector<std::string>;

// source -> k -> sink, with a kernel that reads x and writes y.
template <typename X, typename Y>
Graph around(const Kernel& kernel, const PhaseSequence& x = 1, const PhaseSequence& y = 1,
             const ChannelOptions& from = {}, const ChannelOptions& to = {}) {
  Graph graph{"g"};
  auto source = graph.cpu(
      "source", [](std::span<X>) {}, out<X>("n", x));
  auto k = graph.gpu("k", kernel, in<X>("x", x), out<Y>("y", y));
  auto sink = graph.cpu(
      "sink", [](std::span<const Y>) {}, in<Y>("n", y));
  graph.connect(source["n"], k["x"], from);
  graph.connect(k["y"], sink["n"], to);
  return graph;
}

// y[i] = x[i], of these types.
Kernel copying(const std::string& x, const std::string& y,
               const std::string& local_size = "local_size_x = 64", const std::string& more = {},
               const std::string& added = {}) {
  return Kernel::from_glsl("#version 450\nlayout(" + local_size +
                               ") in;\n"
                               "layout(std430, binding = 0) readonly buffer X { " +
                               x +
                               " x[]; };\n"
                               "layout(std430, binding = 1) writeonly buffer Y { " +
                               y + " y[]; };\n" + more +
                               "void main() { const uint i = gl_GlobalInvocationID.x; y[i] = " + y +
                               "(x[i])" + added + "; }\n",
                           "k.comp");
}

// The messages of all that was found, which is of this rule alone.
Found found(const Report& report, std::string_view code) {
  Found messages;
  for (const auto& d : report.diagnostics) {
    CHECK(d.code == code);
    messages.push_back(d.message);
  }
  return messages;
}

DeviceProfile card() {
  DeviceProfile profile;
  profile.name = "card";
  profile.features = {"timelineSemaphore"};
  profile.queue_families = {{1, true, true, false, 64}};
  return profile;
}

Report on(const DeviceProfile& device, const Graph& graph) {
  return check(graph, {.device = device});
}

const Kernel plain = copying("int", "int");

}  // namespace

TEST_CASE("all that is wrong with the kernels of a graph is said at once") {
  const auto with = [&](const std::string& pushed, const std::string& more) {
    return Kernel::from_glsl(
        "#version 450\nlayout(local_size_x = 64) in;\n"
        "layout(binding = 0) readonly buffer X { int x[]; };\n"
        "layout(binding = 1) buffer Y { int y[]; };\n" +
            pushed + more +
            "void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x]" +
            (pushed.empty() ? "" : " + p.n") + (more.empty() ? "" : " + s[0]") + "; }\n",
        "k.comp");
  };
  const auto chain = [&](const Kernel& first, const Kernel& second) {
    Graph graph{"kernels"};
    auto source = graph.cpu(
        "source", [](int& n) { n = 1; }, out<int>("n"));
    auto a = graph.gpu("a", first, in<int>("x"), out<int>("y"));
    auto b = graph.gpu("b", second, in<int>("x"), out<int>("y"));
    auto sink = graph.cpu(
        "sink", [](const int&) {}, in<int>("n"));
    graph.connect(source["n"], a["x"]);
    graph.connect(a["y"], b["x"]);
    graph.connect(b["y"], sink["n"]);
    return graph;
  };
  const auto pushing = with("layout(push_constant) uniform P { int n; } p;\n", "");
  const auto report = check(chain(pushing, Kernel::from_glsl("no shader", "b.comp")));
  REQUIRE(report.diagnostics.size() == 2);
  CHECK(report.diagnostics[0].code == "kernel-mismatch");
  CHECK(report.diagnostics[0].message ==
        "the kernel of actor 'a' has 4 bytes of push constants, which nobody would set");
  CHECK(report.diagnostics[1].code == "unusable-kernel");
  CHECK(report.diagnostics[1].message ==
        "the kernel of actor 'b' can't be used: the kernel does not compile:");
  REQUIRE(report.diagnostics[1].notes.size() == 1);
  CHECK(report.diagnostics[1].notes[0] ==
        "b.comp:1: error: there is no #version; begin with #version 450");
}

TEST_CASE("a kernel that does not treat its ports as the actor declares them is refused") {
  const auto messages = [&](const std::string& body, const std::string& x, const std::string& y,
                            std::uint32_t constant = 0) {
    auto kernel = Kernel::from_glsl(
        "#version 450\nlayout(local_size_x = 1) in;\n"
        "layout(binding = 0) buffer X { " +
            x + " } a;\nlayout(binding = 1) buffer Y { " + y +
            " } b;\nlayout(constant_id = 3) const int c = 1;\n"
            "void main() { " +
            body + " }\n",
        "k.comp");
    if (constant != 0) kernel.constant(constant, 1);
    Graph graph{"g"};
    auto source = graph.cpu(
        "source", [](int& n) { n = 1; }, out<int>("n"));
    auto k = graph.gpu("twice", kernel, in<int>("x"), out<int>("y"));
    auto sink = graph.cpu(
        "sink", [](const int&) {}, in<int>("n"));
    graph.connect(source["n"], k["x"]);
    graph.connect(k["y"], sink["n"]);
    Found messages_found;
    for (const auto& d : check(graph).diagnostics) messages_found.push_back(d.message);
    return messages_found;
  };
  CHECK(messages("b.y[0] = a.x[0] + c;", "int x[];", "int y[];").empty());
  CHECK(messages("b.y[0] = a.x[0] + c;", "int x[];", "int y[];", 3).empty());
  CHECK(messages("b.y[0] = a.x[0] + c;", "int x[];", "int y[];", 5) ==
        Found{"the kernel of actor 'twice' has no specialisation constant 5"});
  CHECK(messages("b.y[0] = a.x[0]; a.x[0] = -c;", "int x[];", "int y[];") ==
        Found{"input 'twice.x' is written by the kernel (binding 0)"});
  CHECK(messages("b.y[0] = atomicAdd(a.x[0], c);", "int x[];", "int y[];") ==
        Found{"input 'twice.x' is written by the kernel (binding 0)"});
  CHECK(messages("b.y[0] = a.x[3] + c;", "int x[4];", "int y[];") ==
        Found{"the kernel sees 'twice.x' as 16 bytes or more, and a firing has 4 there"});
  CHECK(messages("b.y[0] = double(a.x[0] + c);", "int x[];", "double y[];") ==
        Found{"the kernel sees 'twice.y' as 8 bytes or more, and a firing has 4 there"});
  CHECK(messages("", "int x[];", "int y[];") ==
        Found{"the kernel of actor 'twice' never touches output 'y' (binding 1)"});
}
TEST_CASE("elements of a kernel's block lie as close as the messages do") {
  using Vec3 = std::array<float, 3>;
  using Vec4 = std::array<float, 4>;
  const auto mismatches = [](const Graph& graph) { return found(check(graph), "kernel-mismatch"); };
  CHECK(mismatches(around<Vec4, Vec4>(copying("vec4", "vec4"))).empty());
  CHECK(mismatches(around<float, float>(copying("vec4", "vec4"), 4, 8)).empty());
  CHECK(mismatches(around<Vec3, Vec4>(copying("vec3", "vec3"), 4)) ==
        Found{"the kernel sees 'k.x' in elements of 12 bytes at every 16, and its messages of 12 "
              "bytes lie one behind the other"});
  CHECK(mismatches(around<float, Vec4>(copying("vec4", "vec4"), {4, 6})) ==
        Found{"the kernel sees 'k.x' in elements of 16 bytes, and the 24 bytes of a firing are not "
              "a whole number of them"});
  // A firing without messages at a port looks at nobody's.
  CHECK(mismatches(around<float, Vec4>(copying("vec4", "vec4"), {4, 0})).empty());
}

TEST_CASE("a kernel whose file is not there is told at the place that names it") {
  const auto graph = parse_graph(
      "format: 1\ngraph: g\nactors:\n"
      "  s: {out: {n: int32}}\n"
      "  k: {side: gpu, kernel: missing.comp, in: {x: int32}, out: {y: int32}}\n"
      "  e: {in: {n: int32}}\n"
      "channels: [s.n -> k.x, k.y -> e.n]\n",
      "some/graph.yaml");
  const auto report = check(graph);
  CHECK(report.verdict == Verdict::invalid);
  CHECK(found(report, "unusable-kernel") ==
        Found{"the kernel of actor 'k' can't be used: kernel file 'some/missing.comp' can't be "
              "read: there is no such file"});
  CHECK(report.diagnostics[0].marks[0].place.line == 5);
  CHECK(report.diagnostics[0].marks[0].place.column == 26);
  CHECK(check(graph, {.kernels = false}).verdict == Verdict::valid);
}

TEST_CASE("what is wrong with a kernel and what is wrong with the graph is said together") {
  auto graph = around<int, int>(Kernel::from_glsl("no shader", "k.comp"), 1, 1, {.capacity = 1});
  auto a = graph.cpu(
      "a", [](const int&, int&) {}, in<int>("x"), out<int>("y"));
  graph.connect(a["y"], a["x"]);
  const auto report = check(graph);
  REQUIRE(report.diagnostics.size() == 2);
  CHECK(report.diagnostics[0].code == "deadlock-data");
  CHECK(report.diagnostics[1].code == "unusable-kernel");
}

TEST_CASE("a kernel that fits a device fits it to the last of each limit") {
  const auto graph = around<int, int>(copying("int", "int", "local_size_x = 8, local_size_y = 16",
                                              "shared int s[4096];\n", " + s[i]"));
  auto device = card();
  const auto report = on(device, graph);
  CHECK(report.verdict == Verdict::valid);
  CHECK(report.device == "card");
  device.max_shared_memory = 16383;
  device.max_workgroup_invocations = 127;
  device.max_workgroup_size = {7, 16, 1};
  device.max_bindings = 1;
  device.max_storage_range = 3;
  CHECK(found(on(device, graph), "device-limit") ==
        Found{"actor 'k' has 2 ports, and a kernel of 'card' sees 1 buffer",
              "port 'k.x' moves 4 bytes in a firing, and a kernel of 'card' can see 3 bytes of a "
              "buffer",
              "port 'k.y' moves 4 bytes in a firing, and a kernel of 'card' can see 3 bytes of a "
              "buffer",
              "a workgroup of actor 'k' is 8 along x, and 'card' allows 7",
              "a workgroup of actor 'k' has 128 invocations, and 'card' allows 127",
              "a workgroup of actor 'k' shares 16384 bytes, and 'card' allows 16383"});
}

TEST_CASE("a firing has no more workgroups than a device allows") {
  auto device = card();
  device.max_group_count = {3, 1, 1};
  CHECK(on(device, around<int, int>(plain, 192, 192)).verdict == Verdict::valid);
  CHECK(found(on(device, around<int, int>(plain, 193, 193)), "device-limit") ==
        Found{"a firing of actor 'k' is 4 workgroups along x, and 'card' allows 3"});
  auto said = plain;
  said.groups(3, 2);
  CHECK(found(on(device, around<int, int>(said)), "device-limit") ==
        Found{"a firing of actor 'k' is 2 workgroups along y, and 'card' allows 1"});
}

TEST_CASE("a kernel uses no more of a device than it has") {
  const auto graph = around<double, float>(copying("double", "float"));
  auto device = card();
  CHECK(found(on(device, graph), "device-feature") ==
        Found{"the kernel of actor 'k' needs the capability Float64, and 'card' lacks the feature "
              "shaderFloat64"});
  device.features.emplace_back("shaderFloat64");
  CHECK(on(device, graph).verdict == Verdict::valid);
  device.vulkan = "1.1.0";
  CHECK(found(on(device, graph), "device-feature") ==
        Found{"'card' can't run graphs: it has Vulkan 1.1, needs 1.2 (a newer driver may have "
              "it)"});
  // Nobody asks for a device where no actor is on one.
  Graph host{"host"};
  auto a = host.cpu(
      "a", [](int&) {}, out<int>("x"));
  auto b = host.cpu(
      "b", [](const int&) {}, in<int>("x"));
  host.connect(a["x"], b["x"]);
  CHECK(on(device, host).verdict == Verdict::valid);
}

TEST_CASE("memory is counted by who reaches it") {
  Graph graph{"g"};
  auto source = graph.cpu(
      "source", [](int&, int&) {}, out<int>("n"), out<int>("m"));
  auto a = graph.gpu("a", plain, in<int>("x"), out<int>("y"));
  auto b = graph.gpu("b", plain, in<int>("x"), out<int>("y"));
  auto sink = graph.cpu(
      "sink", [](const int&, const int&) {}, in<int>("n"), in<int>("m"));
  graph.connect(source["n"], a["x"], {.capacity = 10});
  graph.connect(a["y"], b["x"], {.capacity = 100});
  graph.connect(b["y"], sink["n"], {.capacity = 1});
  graph.connect(source["m"], sink["m"], {.capacity = 1000});
  const auto report = check(graph);
  CHECK(report.verdict == Verdict::valid);
  CHECK(report.memory.both == 44);
  CHECK(report.memory.device == 400);
  CHECK(report.memory.host == 4000);

  // 444 bytes are within the GPU's reach, whichever heap they lie in.
  auto device = card();
  device.heaps = {{222, true, false}, {222, false, true}};
  device.max_allocation = 400;
  const auto too_large = on(device, graph);
  CHECK(found(too_large, "device-memory") ==
        Found{"'a.y -> b.x' takes 400 bytes, and 'card' has 222 bytes in one piece at most"});
  CHECK(too_large.diagnostics[0].help ==
        "change the capacity of 'a.y -> b.x' from 100 to 1; then it fits, and lives");
  device.heaps = {{400, true, false}, {44, false, true}};
  CHECK(on(device, graph).verdict == Verdict::valid);
  device.heaps[1].bytes = 43;
  const auto report_of_sum = on(device, graph);
  CHECK(found(report_of_sum, "device-memory") ==
        Found{"the channels that the GPU reaches take 444 bytes, and all memory of 'card' is 443 "
              "bytes"});
  const auto& d = report_of_sum.diagnostics[0];
  REQUIRE(d.marks.size() == 3);
  CHECK(d.marks[0].label == "room for 100 messages: 400 bytes");
  REQUIRE(d.repairs.size() == 1);
  CHECK(d.repairs[0].channel == "a.y -> b.x");
  CHECK(d.repairs[0].from == 100);
}

TEST_CASE("where no smaller capacities would live, messages have to be smaller") {
  using Frame = std::array<int, 100>;
  auto device = card();
  device.heaps = {{799, true, true}};
  const auto report =
      on(device, around<Frame, Frame>(plain, 1, 1, {.capacity = 1}, {.capacity = 1}));
  CHECK(found(report, "device-memory").size() == 1);
  CHECK(report.diagnostics[0].help == "make the messages smaller");
  CHECK(report.diagnostics[0].repairs.empty());
}
