// Links the whole: runs a graph of CPU actors, and names a kernel that antiphon_kernels() compiled.
#include <antiphon/antiphon.hpp>

#include <kernels/twice_as_much.hpp>

#include <cstdio>
#include <memory>

using namespace antiphon;

int main() {
  const Kernel kernel{twice_as_much_spirv};
  const bool is_spirv = kernel.spirv().front() == 0x07230203;

  const auto sum = std::make_shared<int>(0);
  Graph graph{"sum"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto add = graph.cpu(
      "add", [sum](const int& n) { *sum += n; }, in<int>("n"));
  graph.connect(count["n"], add["n"]);

  Runtime runtime;
  runtime.run(runtime.plan(graph), {.iterations = 10});
  std::printf("the sum of 0 to 9 is %d\n", *sum);
  return is_spirv && *sum == 45 ? 0 : 1;
}
