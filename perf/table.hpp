// The table that all benchmarks end in: ours beside a peer or a floor, and the ratio that must
// hold.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace perf {

// A row compares two benchmarks that ran in turns in one process: NAME/ours and NAME/other. A row
// whose other is a fixed limit has only NAME/ours.
struct Row {
  std::string name;
  std::string unit;
  // True: less is better (a time). The ratio is always "how many times as good as the other".
  bool less_is_better = true;
  std::optional<double> limit;  // stands for the other
  std::optional<double> floor;  // the least ratio that must hold
};

// A row with its figures: medians over the repetitions.
struct Figures {
  Row row;
  double ours = 0;
  std::optional<double> other;
  std::optional<double> ratio;
  double spread = 0;  // of ours: (third - first quartile) / median
  bool holds = true;
  std::string failure;  // why there are no figures
};

// Median and quartiles of samples, which must not be empty.
double median(std::vector<double> samples);
double spread(std::vector<double> samples);

// `other` may be empty where the row has a limit or stands alone.
Figures figures(const Row& row, const std::vector<double>& ours, const std::vector<double>& other);
Figures failed(const Row& row, std::string why);

std::string as_text(const std::vector<Figures>& table);
std::string as_json(const std::vector<Figures>& table);

}  // namespace perf
