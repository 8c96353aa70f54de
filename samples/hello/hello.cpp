// Counts on the CPU, squares on the GPU, prints on the CPU: three actors that send each other
// messages.
#include "common/as_json.hpp"

#include <antiphon/antiphon.hpp>
#include <kernels/square.hpp>

#include <cstdio>

using namespace antiphon;

int main(int argc, char** argv) try {
  Graph graph{"hello"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto square = graph.gpu("square", Kernel{square_spirv}, in<int>("x"), out<int>("y"));
  auto print = graph.cpu(
      "print", [](const int& n) { std::printf("%d\n", n); }, in<int>("n"));
  graph.connect(count["n"], square["x"]);
  graph.connect(square["y"], print["n"]);

  Runtime runtime;                  // the best device here; options say otherwise
  Plan plan = runtime.plan(graph);  // checks; throws InvalidGraph with the whole report
  if (samples::wants_json(argc, argv)) return samples::print_json(runtime, plan, "hello");
  runtime.run(plan, {.iterations = 10});
} catch (const Error& error) {
  std::fprintf(stderr, "hello: %s\n", error.what());
  return 1;
}
