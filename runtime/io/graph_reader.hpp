// From a document to a graph: the format of docs/format.md.
#pragma once

#include "graph/model.hpp"
#include "io/carried_type.hpp"
#include "io/document.hpp"
#include "io/expression.hpp"
#include "io/fields.hpp"
#include "io/text.hpp"
#include "io/types.hpp"

#include <antiphon/graph_file.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace antiphon::io {

// Reads one document. Goes on after a fault, so that all of them are found; the model counts only
// when there was none.
class GraphReader {
 public:
  // Kernel files are looked for in `folder`.
  GraphReader(const Text& text, std::filesystem::path folder, Faults& faults);

  // A graph without a name gets `fallback_name`. What has been read is freed at once, so that a
  // large document and its model are not both in memory.
  GraphModel read(Node root, const LoadOptions& options, std::string fallback_name);

 private:
  void read_parameters(const Node* node, const LoadOptions& options);
  void read_actors(Node& node);
  ActorModel read_actor(const Node& name, const Node& node);
  void read_kernel(const Fields& fields, ActorModel& actor);
  void read_groups(const Node& node, Kernel& kernel);
  void read_constants(const Node& node, Kernel& kernel);
  void read_ports(const Fields& fields, ActorModel& actor);
  void read_port_map(Direction direction, const Node& node, ActorModel& actor);
  void read_port_list(const Node& node, ActorModel& actor);
  void read_port_fields(const Fields& fields, Port& port);
  void read_blocking(const Node& node, ActorModel& actor);
  void read_concurrency(const Node& node, ActorModel& actor);

  void read_channels(Node& node);
  bool read_arrow(const Snippet& text, ChannelModel& channel);
  bool read_channel(const Node& node, ChannelModel& channel);
  bool read_readers(const Node& node, std::vector<Endpoint>& to);
  bool read_endpoints(const Snippet& list, std::vector<Endpoint>& to);
  std::optional<Endpoint> read_endpoint(const Snippet& text);
  std::optional<Endpoint> read_endpoint(const Node& node);
  void read_initial(const Fields& fields, ChannelModel& channel);
  void read_list(const Node& values, const std::optional<std::int64_t>& initial,
                 ChannelModel& channel);

  const Text& text_;
  std::filesystem::path folder_;
  Faults& faults_;
  Parameters parameters_;
  Numbers numbers_;
  Types types_;
  GraphModel model_;
  PortIndex ports_;
  // A few characters can ask for any number of bytes: one value fills a message.
  std::size_t value_bytes_left_ = std::size_t{256} << 20U;
};

}  // namespace antiphon::io
