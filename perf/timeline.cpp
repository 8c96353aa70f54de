// Draws a window of a trace as an SVG: a lane per actor, a bar per firing.
//
//   timeline trace.json overlap.svg --from 1000 --to 1100
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

struct Bar {
  double begin_ms = 0;
  double end_ms = 0;
  std::int64_t firing = 0;
};

struct Lane {
  std::string name;
  bool device = false;
  std::vector<Bar> bars;
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::map<int, Lane> lanes_of(const nlohmann::json& trace) {
  std::map<int, Lane> lanes;
  for (const auto& event : trace.at("traceEvents")) {
    const auto phase = event.at("ph").get<std::string>();
    if (phase == "M" && event.at("name") == "thread_name") {
      auto& lane = lanes[event.at("tid")];
      lane.name = event.at("args").at("name");
      lane.device = lane.name.ends_with("(gpu)");
    } else if (phase == "X") {
      const auto begin = event.at("ts").get<double>() / 1000;
      lanes[event.at("tid")].bars.push_back(
          {begin, begin + event.at("dur").get<double>() / 1000, event.at("args").at("firing")});
    }
  }
  return lanes;
}

std::map<int, Lane> read(const std::string& path) {
  std::error_code ignored;
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path, ignored)) {
    throw std::runtime_error("can't read '" + path + "'");
  }
  try {
    return lanes_of(nlohmann::json::parse(in));
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error("'" + path + "' is no trace: " + error.what());
  }
}

bool any_between(const std::map<int, Lane>& lanes, double from, double to) {
  for (const auto& [id, lane] : lanes) {
    for (const auto& bar : lane.bars) {
      if (bar.end_ms > from && bar.begin_ms < to) return true;
    }
  }
  return false;
}

std::string draw(const std::map<int, Lane>& lanes, double from, double to) {
  constexpr double left = 130;
  constexpr double width = 760;
  constexpr double row = 34;
  constexpr double top = 16;
  const auto height = top + row * static_cast<double>(lanes.size()) + 44;
  const auto x = [&](double ms) { return left + width * (ms - from) / (to - from); };
  // Firings of the same message share a shade, so that the eye can follow one.
  const auto color = [](const Lane& lane, std::int64_t firing) {
    static constexpr const char* cpu[] = {"#1f6fb2", "#4a93cf", "#82b7e2", "#2f80c3"};
    static constexpr const char* gpu[] = {"#c4541a", "#df7a3f", "#efa679", "#d0642a"};
    return (lane.device ? gpu : cpu)[static_cast<std::size_t>(firing) % 4];
  };
  auto svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "font-family=\"sans-serif\" "
      "font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      left + width + 20, height);
  double y = top;
  for (const auto& [id, lane] : lanes) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 10,
                       y + 20, escaped(lane.name));
    svg += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", left,
        left + width, y + row - 3, y + row - 3);
    for (const auto& bar : lane.bars) {
      if (bar.end_ms <= from || bar.begin_ms >= to) continue;
      const auto begin = x(std::max(bar.begin_ms, from));
      const auto end = x(std::min(bar.end_ms, to));
      svg += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" rx=\"2\" "
          "fill=\"{}\"/>\n",
          begin, y + 3, std::max(end - begin - 0.6, 0.6), row - 10, color(lane, bar.firing));
      if (end - begin > 30) {
        svg += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"white\" "
            "font-size=\"11\">{}</text>\n",
            (begin + end) / 2, y + 19, bar.firing);
      }
    }
    y += row;
  }
  // 1, 2, 5, 10, … ms: at most a dozen marks.
  double step = 1;
  for (int i = 0; (to - from) / step > 12; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  for (double at = from; at <= to + 1e-9; at += step) {
    svg += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#555\" "
        "font-size=\"11\">{:g}</text>\n",
        x(at), y + 14, at - from);
  }
  svg += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#555\">ms; the numbers in "
      "the bars are firings</text>\n</svg>\n",
      left + width / 2, y + 34);
  return svg;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"draws a window of a trace as an SVG"};
  std::string trace;
  std::string svg;
  double from = 0;
  double to = 0;
  app.add_option("trace", trace, "a trace that a sample wrote with --trace")->required();
  app.add_option("svg", svg, "the picture to write")->required();
  app.add_option("--from", from, "begin of the window, ms");
  app.add_option("--to", to, "end of the window, ms; unless said, 100 ms later");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    std::error_code ignored;
    if (std::filesystem::equivalent(trace, svg, ignored)) {
      throw std::runtime_error("can't write '" + svg + "': it is the trace to read");
    }
    if (app.count("--to") == 0) to = from + 100;
    if (!std::isfinite(from) || !std::isfinite(to) || to <= from) {
      throw std::runtime_error("--to must come after --from");
    }
    const auto lanes = read(trace);
    if (!any_between(lanes, from, to)) {
      throw std::runtime_error(
          fmt::format("'{}' has no firing between {} and {} ms", trace, from, to));
    }
    std::ofstream out(svg);
    out << draw(lanes, from, to);
    if (!out.flush()) throw std::runtime_error("can't write '" + svg + "'");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "timeline: %s\n", e.what());
    return 2;
  }
  return 0;
}
