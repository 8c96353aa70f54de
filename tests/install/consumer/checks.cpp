// Links antiphon::check alone: one graph that is right, and one whose rates contradict each other.
#include <antiphon/check.hpp>
#include <antiphon/graph.hpp>
#include <antiphon/render.hpp>

#include <cstdio>

using namespace antiphon;

namespace {

Graph pair_of_channels(std::int64_t second_rate) {
  Graph graph{"pair"};
  auto from = graph.cpu(
      "from", [](int&, int&) {}, out<int>("a"), out<int>("b"));
  auto to = graph.cpu(
      "to", [](const int&, std::span<const int>) {}, in<int>("a"), in<int>("b", second_rate));
  graph.connect(from["a"], to["a"]);
  graph.connect(from["b"], to["b"]);
  return graph;
}

}  // namespace

int main() {
  const Report good = check(pair_of_channels(1));
  const Report bad = check(pair_of_channels(2));
  std::fputs(render_text(good).c_str(), stdout);
  std::fputs(render_text(bad).c_str(), stdout);
  return good.verdict == Verdict::valid && bad.verdict == Verdict::invalid ? 0 : 1;
}
