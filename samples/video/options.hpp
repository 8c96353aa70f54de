// What the command line of `video` may say.
#pragma once

#include "decoder.hpp"
#include "encoder.hpp"
#include "reference.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace video {

struct Options {
  std::filesystem::path input;
  std::filesystem::path output = "filtered.mp4";
  std::filesystem::path graph;  // unless said, video.yaml beside the program
  std::filesystem::path trace;  // empty: none
  std::int64_t frames = 0;      // from the start again where the clip has fewer; 0: the clip once
  std::int64_t ahead = 0;       // frames that may lie between two actors; 0: as the graph says
  std::int64_t verify = 4;      // frames that are held against the reference
  bool json = false;

  DecoderOptions decoder;
  FilterOptions filters;
  EncoderOptions encoder;

  std::string device;  // part of its name
  unsigned workers = 0;
  int device_threads = 0;
  bool validation = false;
};

// Nothing when all is said already (--help), or wrong; `exit_code` says which.
std::optional<Options> parse_options(int argc, char** argv, int& exit_code);

}  // namespace video
