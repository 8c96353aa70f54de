// A kernel that does not end, on whatever Vulkan device is here. A program of its own, since what
// hangs stays with its process until that ends.
#include <antiphon/antiphon.hpp>

#include <kernels/endless.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

using namespace antiphon;
using namespace std::chrono_literals;

int main() {
  Graph graph{"endless"};
  const auto source = graph.cpu(
      "source", [](std::uint32_t& x) { x = 0; }, out<std::uint32_t>("x"));
  const auto kernel = graph.gpu("endless", Kernel{endless_spirv}.groups(65535, 65535),
                                in<std::uint32_t>("x"), out<std::uint32_t>("y"));
  const auto sink = graph.cpu(
      "sink", [](const std::uint32_t&) {}, in<std::uint32_t>("y"));
  graph.connect(source["x"], kernel["x"]);
  graph.connect(kernel["y"], sink["y"]);
  Runtime runtime;
  try {
    runtime.run(runtime.plan(graph), {.patience = 500ms});
  } catch (const Hung& hung) {
    std::printf("%s\n", hung.what());
    const std::string said = hung.what();
    const bool right =
        hung.actor() == "endless" && hung.firing() == 0 && said.find("'sink'") != std::string::npos;
    // What is destroyed after this (the runtime, the plan, the graph) has not to wait for it.
    return right ? 0 : 1;
  }
  std::printf("it ended\n");
  return 1;
}
