// A graph for a person at a terminal.
#include <antiphon/draw.hpp>

#include "graph/model.hpp"
#include "io/carried_type.hpp"
#include "io/drawing.hpp"
#include "io/write_text.hpp"
#include "report/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace antiphon {

namespace {

using report::cells;
using report::plain;

constexpr std::string_view reset = "\x1b[0m";
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view red = "\x1b[31m";

std::string counted(std::size_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

// Cells of several lines each, in columns as wide as they need to be.
class Table {
 public:
  using Cell = std::vector<std::string>;

  explicit Table(std::vector<std::string> head) {
    std::vector<Cell> row;
    for (auto& title : head) row.push_back({std::move(title)});
    add(std::move(row), false);
  }

  void add(std::vector<Cell> row, bool blamed) {
    widths_.resize(std::max(widths_.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) {
      for (const auto& text : row[c]) widths_[c] = std::max(widths_[c], cells(text));
    }
    rows_.push_back({std::move(row), blamed});
  }

  std::string text(bool color) const {
    std::string out;
    for (const auto& row : rows_) {
      std::size_t height = 1;
      for (const auto& cell : row.cells) height = std::max(height, cell.size());
      for (std::size_t at = 0; at < height; ++at) {
        std::string line = row.blamed && at == 0 ? "! " : "  ";
        std::size_t owed = 0;  // spaces before the next text, so that no line ends in any
        for (std::size_t c = 0; c < row.cells.size(); ++c) {
          const auto& cell = row.cells[c];
          const std::string_view piece = at < cell.size() ? cell[at] : std::string_view{};
          if (!piece.empty()) line.append(std::exchange(owed, 0), ' ').append(piece);
          owed += widths_[c] - cells(piece) + 2;
        }
        const auto tint = &row == &rows_.front() ? bold : row.blamed ? red : std::string_view{};
        out += color && !tint.empty() ? fmt::format("{}{}{}\n", tint, line, reset) : line + "\n";
      }
    }
    return out;
  }

 private:
  struct Row {
    std::vector<Cell> cells;
    bool blamed = false;
  };
  std::vector<Row> rows_;
  std::vector<std::size_t> widths_;
};

class TextDrawing {
 public:
  TextDrawing(const GraphModel& model, const Report& report, bool color)
      : model_(model), report_(report), color_(color), ports_(model.actors), blamed_(report) {}

  std::string draw() {
    head();
    if (!model_.actors.empty()) actors();
    if (!model_.channels.empty()) channels();
    legend();
    findings();
    return std::move(out_);
  }

 private:
  bool sdf3() const { return model_.semantics == Semantics::sdf3; }

  Table::Cell blamable(const std::string& text, bool blamed) {
    any_blamed_ = any_blamed_ || blamed;
    return {plain(text)};
  }

  void head() {
    const auto verdict = report_.verdict == Verdict::valid       ? ""
                         : report_.verdict == Verdict::undecided ? ", undecided"
                                                                 : ", invalid";
    std::size_t gpu = 0;
    for (const auto& actor : model_.actors) gpu += actor.side == Side::gpu ? 1 : 0;
    out_ += fmt::format("graph '{}'{}: {}{}, {}\n", plain(model_.name), verdict,
                        counted(model_.actors.size(), "actor"),
                        gpu == 0 ? "" : fmt::format(" ({} on the GPU)", gpu),
                        counted(model_.channels.size(), "channel"));
  }

  void actors() {
    const bool known = report_.actors.size() == model_.actors.size();
    std::vector<std::string> titles{"actor", "side", "cost", "at once", "takes", "sends"};
    if (known) titles.insert(titles.begin() + 2, "fires");
    Table table(std::move(titles));
    for (std::size_t a = 0; a < model_.actors.size(); ++a) {
      const auto& actor = model_.actors[a];
      Table::Cell takes;
      Table::Cell sends;
      for (const auto& port : actor.ports) {
        (port.direction == Direction::in ? takes : sends)
            .push_back(plain(io::port_label(port.name, port.rate)));
      }
      const bool blamed = blamed_.actor(actor.name);
      std::vector<Table::Cell> row{
          blamable(actor.name, blamed),
          {actor.side == Side::gpu ? "gpu" : "cpu"},
          {actor.cost ? io::short_phases(*actor.cost, !sdf3()) : "-"},
          {actor.concurrency == 0 ? "any" : std::to_string(actor.concurrency)},
          std::move(takes),
          std::move(sends)};
      if (known) row.insert(row.begin() + 2, {std::to_string(report_.actors[a].firings)});
      table.add(std::move(row), blamed);
    }
    out_ += '\n' + table.text(color_);
  }

  void channels() {
    const bool known = report_.channels.size() == model_.channels.size();
    Table table({"channel", "holds", "at start", "carries"});
    for (std::size_t c = 0; c < model_.channels.size(); ++c) {
      const auto& channel = model_.channels[c];
      auto name = display_name(channel);
      const bool blamed = blamed_.channel(name);
      if (!channel.name.empty()) {
        ChannelModel unnamed;
        unnamed.from = channel.from;
        unnamed.to = channel.to;
        name += ": " + display_name(unnamed);
      }
      std::string holds = sdf3() ? "any" : "auto";
      if (channel.capacity) {
        holds = std::to_string(*channel.capacity);
      } else if (known && report_.channels[c].chosen) {
        holds = fmt::format("{} (auto)", report_.channels[c].capacity);
      }
      table.add({blamable(name, blamed),
                 {std::move(holds)},
                 {std::to_string(channel.initial)},
                 {carries(channel)}},
                blamed);
    }
    out_ += '\n' + table.text(color_);
  }

  std::string carries(const ChannelModel& channel) const {
    const auto* type = io::carried_type(channel, ports_).type;
    if (type == nullptr) return "-";
    return type->name.empty() ? io::size_text(type->size) : plain(type->name);
  }

  void legend() {
    if (model_.actors.empty()) return;
    out_ += '\n';
    if (report_.actors.size() == model_.actors.size()) {
      out_ += "fires: firings in one iteration, after which the graph is as it was before\n";
    }
    out_ +=
        "at once: firings of the actor that may overlap\n"
        "takes, sends: the ports, and the messages of one firing where they are not 1\n";
    if (has_phases()) {
      out_ += "1,2: in turn; 3*2: three times 2, and again from the start; 5;1: 5 once, then 1\n";
    }
    if (model_.channels.empty()) return;
    out_ += "holds: messages that the channel has room for; auto: the check chooses\n";
  }

  bool has_phases() const {
    return std::any_of(model_.actors.begin(), model_.actors.end(), [](const ActorModel& actor) {
      const auto steps = [](const PhaseSequence& s) {
        return !s.is_constant() || s.initial_phases() > 0;
      };
      return (actor.cost && steps(*actor.cost)) ||
             std::any_of(actor.ports.begin(), actor.ports.end(),
                         [&](const Port& port) { return steps(port.rate); });
    });
  }

  // In short: the report itself is for `check`.
  void findings() {
    if (any_blamed_) out_ += "!: what the errors point at\n";
    bool first = true;
    for (const auto& d : report_.diagnostics) {
      if (d.severity != Severity::error) continue;
      if (std::exchange(first, false)) out_ += '\n';
      const auto code = fmt::format("error[{}]", d.code);
      out_ += fmt::format("{}: {}\n", color_ ? fmt::format("{}{}{}", red, code, reset) : code,
                          plain(d.message));
    }
  }

  const GraphModel& model_;
  const Report& report_;
  const bool color_;
  const io::PortIndex ports_;
  const io::Blamed blamed_;
  bool any_blamed_ = false;
  std::string out_;
};

}  // namespace

std::string to_text(const Graph& graph, const Report& report, bool color) {
  return TextDrawing(graph.model(), report, color).draw();
}

}  // namespace antiphon
