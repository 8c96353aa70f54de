#include "kernels/kernel_interface.hpp"

#include "base/read_file.hpp"

#include <fmt/format.h>
#include <shaderc/shaderc.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

namespace antiphon::kernels {

namespace {

namespace fs = std::filesystem;

// Larger files are no kernels.
Result<std::string> read_kernel(const std::string& path) {
  return read_file(path, "kernel file", std::uintmax_t{64} << 20U);
}

// What `#include` finds, relative to the file that it stands in.
struct Included {
  std::string path;
  std::string text;
  shaderc_include_result result{};
};

shaderc_include_result* include(void*, const char* requested, int, const char* requesting,
                                std::size_t) {
  auto found = std::make_unique<Included>();
  found->path = (fs::path(requesting).parent_path() / requested).string();
  auto text = read_kernel(found->path);
  if (text) {
    found->text = *std::move(text);
  } else {
    // An empty name stands for "not found"; the content is the reason.
    found->path.clear();
    found->text = text.failure().message;
  }
  auto& result = found->result;
  result.source_name = found->path.c_str();
  result.source_name_length = found->path.size();
  result.content = found->text.c_str();
  result.content_length = found->text.size();
  result.user_data = found.get();
  return &found.release()->result;
}

void forget(void*, shaderc_include_result* result) {
  delete static_cast<Included*>(result->user_data);
}

// glslang takes a text without a version for GLSL 1.10, and prints its own insides when that has no
// compute shaders.
Status check_version(const std::string& source, const std::string& name) {
  std::istringstream lines(source);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    int version = 0;
    if (std::sscanf(line.c_str(), " # version %d", &version) != 1) continue;
    if (version >= 310) return {};
    return Failure{
        ErrorKind::invalid_graph,
        fmt::format("the kernel does not compile:\n{}:{}: error: GLSL of version {} has no "
                    "compute shaders; write #version 450",
                    name, number, version)};
  }
  return Failure{
      ErrorKind::invalid_graph,
      fmt::format("the kernel does not compile:\n{}:1: error: there is no #version; begin "
                  "with #version 450",
                  name)};
}

Result<std::vector<std::uint32_t>> compile_glsl(const std::string& source,
                                                const std::string& name) {
  if (auto fit = check_version(source, name); !fit) return fit.failure();
  const std::unique_ptr<shaderc_compiler, decltype(&shaderc_compiler_release)> compiler(
      shaderc_compiler_initialize(), shaderc_compiler_release);
  const std::unique_ptr<shaderc_compile_options, decltype(&shaderc_compile_options_release)>
      options(shaderc_compile_options_initialize(), shaderc_compile_options_release);
  if (!compiler || !options)
    return Failure{ErrorKind::out_of_memory, "no memory to compile a kernel"};
  shaderc_compile_options_set_target_env(options.get(), shaderc_target_env_vulkan,
                                         shaderc_env_version_vulkan_1_2);
  shaderc_compile_options_set_optimization_level(options.get(),
                                                 shaderc_optimization_level_performance);
  shaderc_compile_options_set_include_callbacks(options.get(), include, forget, nullptr);
  const std::unique_ptr<shaderc_compilation_result, decltype(&shaderc_result_release)> result(
      shaderc_compile_into_spv(compiler.get(), source.data(), source.size(), shaderc_compute_shader,
                               name.c_str(), "main", options.get()),
      shaderc_result_release);
  if (!result) return Failure{ErrorKind::out_of_memory, "no memory to compile a kernel"};
  if (shaderc_result_get_compilation_status(result.get()) != shaderc_compilation_status_success) {
    std::string message = shaderc_result_get_error_message(result.get());
    while (!message.empty() && message.back() == '\n') message.pop_back();
    return Failure{ErrorKind::invalid_graph,
                   fmt::format("the kernel does not compile:\n{}", message)};
  }
  std::vector<std::uint32_t> words(shaderc_result_get_length(result.get()) / sizeof(std::uint32_t));
  std::memcpy(words.data(), shaderc_result_get_bytes(result.get()),
              words.size() * sizeof(std::uint32_t));
  return words;
}

Result<std::vector<std::uint32_t>> as_words(const std::string& bytes, const std::string& path) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  if (words.empty() || bytes.size() % sizeof(std::uint32_t) != 0) {
    return Failure{ErrorKind::unreadable,
                   fmt::format("kernel file '{}' is no SPIR-V: it has {} bytes, and SPIR-V "
                               "is made of words of 4",
                               path, bytes.size())};
  }
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace

Result<std::vector<std::uint32_t>> compile(const Kernel& kernel) {
  if (!kernel.file().empty()) {
    auto text = read_kernel(kernel.file());
    if (!text) return text.failure();
    return kernel.file().ends_with(".spv") ? as_words(*text, kernel.file())
                                           : compile_glsl(*text, kernel.file());
  }
  if (!kernel.glsl().empty()) return compile_glsl(kernel.glsl(), kernel.source_name());
  return kernel.spirv();
}

}  // namespace antiphon::kernels
