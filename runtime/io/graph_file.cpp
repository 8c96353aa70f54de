#include <antiphon/graph_file.hpp>

#include "graph/format_rules.hpp"
#include "graph/model.hpp"
#include "io/document.hpp"
#include "io/graph_reader.hpp"
#include "io/sdf3.hpp"
#include "io/text.hpp"

#include <antiphon/render.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace antiphon {

namespace rule = graph_rules;

namespace {

void refuse_size(const std::string& name, io::Faults& faults) {
  faults.add_about(rule::too_large, "the file is larger than 256 MiB", name,
                   "no graph needs that much text: name another file");
}

// Nothing when the file could not be read, which is then reported. Reads on to the end whatever the
// size says, so that pipes are files, too.
std::optional<std::string> read_file(const std::filesystem::path& file, io::Faults& faults) {
  const auto fail = [&](const std::string& why, std::string help = {}) {
    faults.add_about(rule::unreadable_file,
                     fmt::format("cannot read {}: {}", io::quote(file.string()), why),
                     file.string(), std::move(help));
    return std::nullopt;
  };
  const auto too_large = [&] {
    refuse_size(file.string(), faults);
    return std::nullopt;
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    return fail("it is a folder", "name a file in it");
  if (std::filesystem::is_regular_file(file, ignored) &&
      std::filesystem::file_size(file, ignored) > largest_graph_file) {
    return too_large();
  }
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               &std::fclose);
  if (!stream) return fail(std::generic_category().message(errno));
  std::string text;
  std::array<char, 1 << 16> piece{};
  for (;;) {
    const auto count = std::fread(piece.data(), 1, piece.size(), stream.get());
    text.append(piece.data(), count);
    if (text.size() > largest_graph_file) return too_large();
    if (count < piece.size()) break;
  }
  if (std::ferror(stream.get()) != 0) return fail(std::generic_category().message(errno));
  return text;
}

GraphModel read_model(const io::Text& text, const std::filesystem::path& folder,
                      const LoadOptions& options, std::string fallback_name, io::Faults& faults) {
  GraphModel model;
  model.name = fallback_name;
  if (!io::check_text(text, faults)) return model;
  const auto first = text.view().find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    faults.add(rule::empty_file, "the file is empty", text.place(0),
               "a graph begins with `format: 1`; docs/format.md has the rest");
    return model;
  }
  if (text.view()[first] == '<') {
    for (const auto& [name, value] : options.parameters) {
      faults.add_about(rule::unknown_parameter,
                       fmt::format("the graph has no parameter {} to set", io::quote(name)),
                       fmt::format("{}={}", name, value), "SDF3 files have no parameters");
    }
    return io::read_sdf3(text, faults, std::move(fallback_name));
  }
  auto document = io::read_document(text, faults);
  if (!document) return model;
  return io::GraphReader(text, folder, faults)
      .read(*std::move(document), options, std::move(fallback_name));
}

Graph parse(std::string content, const std::string& name, const std::filesystem::path& folder,
            const std::string& fallback_name, const LoadOptions& options) {
  io::Faults faults;
  if (content.size() > largest_graph_file) {
    refuse_size(name, faults);
    throw UnreadableGraph(std::move(faults).report(fallback_name));
  }
  const io::Text text(std::move(content), name);
  auto model = read_model(text, folder, options, fallback_name, faults);
  if (faults.any()) throw UnreadableGraph(std::move(faults).report(std::move(model.name)));
  return Graph(std::move(model));
}

}  // namespace

UnreadableGraph::UnreadableGraph(Report report)
    : Error(ErrorKind::unreadable, render_text(report)), report_(std::move(report)) {}

Graph load_graph(const std::filesystem::path& file, const LoadOptions& options) {
  io::Faults faults;
  auto content = read_file(file, faults);
  if (!content) throw UnreadableGraph(std::move(faults).report(file.stem().string()));
  return parse(std::move(*content), file.string(), file.parent_path(), file.stem().string(),
               options);
}

Graph parse_graph(std::string text, std::string name, const LoadOptions& options) {
  const std::filesystem::path file(name);
  return parse(std::move(text), name, file.parent_path(), file.stem().string(), options);
}

}  // namespace antiphon
