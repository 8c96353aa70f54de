// Reports for a person at a terminal.
#include "base/quantities.hpp"
#include "report/plain_text.hpp"

#include <antiphon/render.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
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
constexpr std::string_view frame_color = "\x1b[1;34m";

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "error";
}

std::string_view color_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "\x1b[1;31m";
    case Severity::warning:
      return "\x1b[1;33m";
    case Severity::note:
      return "\x1b[1;36m";
  }
  return reset;
}

std::string counted(std::size_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

// Where each line of a text begins, found once however many places point into it.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at != std::string_view::npos;) {
      begins_.push_back(at);
      const auto end = text.find('\n', at);
      at = end == std::string_view::npos ? end : end + 1;
    }
  }

  // Without its end; empty when there is no such line.
  std::string_view line(std::uint32_t number) const {
    if (number == 0 || number > begins_.size()) return {};
    const auto begin = begins_[number - 1];
    const auto end = number < begins_.size() ? begins_[number] - 1 : text_.size();
    auto line = text_.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
};

// The part of a line that is shown around a place, and what is underlined of it.
struct Excerpt {
  std::string text;
  std::size_t indent = 0;  // cells before the underline
  std::size_t width = 1;   // cells of the underline
};

// Lines can be megabytes long: these many bytes are shown at most, before and after the place's
// start.
constexpr std::size_t shown_before = 60;
constexpr std::size_t shown_after = 100;

Excerpt excerpt(std::string_view line, const Place& place) {
  const std::size_t start =
      std::min<std::size_t>(place.column > 0 ? place.column - 1 : 0, line.size());
  const auto is_inside = [&](std::size_t at) {
    return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
  };
  std::size_t first = start > shown_before ? start - shown_before : 0;
  while (first < start && is_inside(first)) ++first;
  std::size_t last = std::min(line.size(), start + shown_after);
  while (last > start && is_inside(last)) --last;
  const std::size_t stop =
      std::min<std::size_t>(start + std::max<std::size_t>(place.length, 1), last);

  Excerpt shown;
  const std::string before = (first > 0 ? "…" : "") + plain(line.substr(first, start - first));
  const std::string marked = plain(line.substr(start, stop - start));
  shown.text = before + marked + plain(line.substr(stop, last - stop));
  if (last < line.size()) shown.text += "…";
  shown.indent = cells(before);
  shown.width = std::max<std::size_t>(cells(marked), 1);
  return shown;
}

class TextRenderer {
 public:
  explicit TextRenderer(const TextOptions& options) : color_(options.color) {}

  void diagnostic(const Diagnostic& d) {
    paint(color_of(d.severity), fmt::format("{}[{}]", word(d.severity), d.code));
    paint(bold, ": " + indented(d.message, 2));
    out_ += '\n';
    std::size_t gutter = 2;
    for (const auto& mark : d.marks) {
      if (mark.place.known()) {
        gutter = std::max(gutter, std::to_string(mark.place.line).size());
      }
    }
    for (const auto& m : d.marks) mark(m, d.severity, gutter);
    for (const auto& note : d.notes) {
      paint(color_of(Severity::note), "note");
      out_ += ": " + indented(note, 6) + '\n';
    }
    if (!d.help.empty()) {
      paint("\x1b[1;32m", "help");
      out_ += ": " + indented(d.help, 6) + '\n';
    }
  }

  void line(std::string_view text) {
    out_ += text;
    out_ += '\n';
  }

  void summary(const Report& report) {
    std::map<Severity, std::size_t> found;
    std::size_t allowed = 0;
    for (const auto& d : report.diagnostics) {
      if (d.allowed.empty()) {
        ++found[d.severity];
      } else {
        ++allowed;
      }
    }
    std::vector<std::string> parts;
    std::string_view verdict = "valid";
    std::string_view tint = "\x1b[1;32m";
    if (report.verdict == Verdict::valid) {
      parts.push_back(counted(report.actors.size(), "actor"));
      parts.push_back(counted(report.channels.size(), "channel"));
      if (!report.device.empty()) {
        parts.push_back(bytes_text(report.memory.both + report.memory.device) +
                        " within the GPU's reach");
      }
    } else {
      const bool undecided = report.verdict == Verdict::undecided;
      verdict = undecided                               ? "undecided"
                : report.verdict == Verdict::unreadable ? "unreadable"
                                                        : "invalid";
      tint = color_of(undecided ? Severity::warning : Severity::error);
    }
    if (found[Severity::error] > 0) parts.push_back(counted(found[Severity::error], "error"));
    if (found[Severity::warning] > 0) parts.push_back(counted(found[Severity::warning], "warning"));
    if (allowed > 0) parts.push_back(fmt::format("{} allowed", allowed));
    out_ += report.graph.empty() ? "the graph is " : "graph '" + plain(report.graph) + "' is ";
    paint(tint, verdict);
    if (!report.device.empty()) out_ += " on '" + plain(report.device) + "'";
    if (!parts.empty()) out_ += fmt::format(": {}", fmt::join(parts, ", "));
    out_ += '\n';
  }

  std::string take() { return std::move(out_); }

 private:
  void paint(std::string_view escape, std::string_view text) {
    if (color_) out_ += escape;
    out_ += text;
    if (color_) out_ += reset;
  }

  // Further lines of a text stand under its first.
  static std::string indented(std::string_view text, std::size_t columns) {
    std::string result;
    for (std::size_t at = 0;;) {
      const auto end = text.find('\n', at);
      result += plain(text.substr(at, end == std::string_view::npos ? end : end - at));
      if (end == std::string_view::npos) return result;
      result += '\n';
      result.append(columns, ' ');
      at = end + 1;
    }
  }

  void mark(const Mark& m, Severity severity, std::size_t gutter) {
    if (!m.place.known() && m.subject.empty() && m.label.empty()) return;
    const std::string margin(gutter, ' ');
    paint(frame_color, margin + "--> ");
    if (!m.place.known()) {
      out_ += plain(m.subject);
      if (!m.label.empty()) out_ += (m.subject.empty() ? "" : ": ") + plain(m.label);
      out_ += '\n';
      return;
    }
    out_ += fmt::format("{}:{}:{}", plain(m.place.source->name), m.place.line, m.place.column);
    if (!m.subject.empty()) out_ += "   " + plain(m.subject);
    out_ += '\n';
    const auto found = lines_.try_emplace(m.place.source.get(), m.place.source->text).first;
    const auto line = found->second.line(m.place.line);
    if (line.find_first_not_of(" \t") == std::string_view::npos) {
      if (!m.label.empty()) out_ += margin + "  " + plain(m.label) + '\n';
      return;
    }
    const auto shown = excerpt(line, m.place);
    paint(frame_color, margin + " |");
    out_ += '\n';
    paint(frame_color, fmt::format("{:>{}} |", m.place.line, gutter));
    out_ += ' ' + shown.text + '\n';
    paint(frame_color, margin + " |");
    out_ += ' ' + std::string(shown.indent, ' ');
    paint(color_of(severity),
          std::string(shown.width, '^') + (m.label.empty() ? "" : ' ' + plain(m.label)));
    out_ += '\n';
  }

  bool color_;
  std::string out_;
  std::map<const SourceText*, Lines> lines_;
};

}  // namespace

std::string render_text(const Report& report, const TextOptions& options) {
  TextRenderer renderer(options);
  std::vector<const Diagnostic*> shown;
  for (const auto& d : report.diagnostics) {
    if (d.allowed.empty()) shown.push_back(&d);
  }
  if (options.all) {
    for (const auto* d : shown) {
      renderer.diagnostic(*d);
      renderer.line("");
    }
  } else if (!shown.empty()) {
    const auto first = std::find_if(shown.begin(), shown.end(), [](const Diagnostic* d) {
      return d->severity == Severity::error;
    });
    renderer.diagnostic(**(first == shown.end() ? shown.begin() : first));
    if (shown.size() > 1) {
      renderer.line(fmt::format("and {} more, which --all shows", shown.size() - 1));
    }
    renderer.line("");
  }
  if (options.verdict) renderer.summary(report);
  return renderer.take();
}

InvalidGraph::InvalidGraph(Report report)
    : Error(ErrorKind::invalid_graph, render_text(report)), report_(std::move(report)) {}

}  // namespace antiphon
