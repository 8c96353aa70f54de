// Graph files of SDF3.
#include "fuzz/fuzz.hpp"
#include "fuzz/graph_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(bytes, bytes + size);
  if (fuzz::begins_with(text, '<')) fuzz::try_graph(text, "graph.xml");
  return 0;
}
