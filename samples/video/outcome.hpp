// How it went: the verdict on the frames, the report, and what a failure means for the exit code.
#pragma once

#include "common/comparison.hpp"
#include "options.hpp"
#include "pass.hpp"

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

namespace video {

// The frames came out wrong, or not at all.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Result {
  ClipFormat clip;
  std::string device;
  samples::Comparison comparison;
  std::int64_t verified = 0;  // frames
};

// Before anything else: the number of device threads, Ctrl-C, and silence from libav, whose words
// reach the user through our own messages.
void prepare_process(const Options& options);

// Both passes gave the same frames, bit for bit, and those that were kept are what the reference
// makes of them. Returns how many were; throws WrongResult.
std::int64_t verify(const Pass& sequential, const Pass& overlapped, const FilterOptions& filters);

void print(const Result& result, const Options& options);

// Throws BadOutput when what was printed did not get out.
void finish_output();

// Prints the failure and returns the exit code: 1 when the run failed or its result was wrong, 2
// when the call, the clip or the graph was.
int explain(std::exception_ptr failure);

}  // namespace video
