#include "kernels/kernel_interface.hpp"

#include <fmt/format.h>
#include <shaderc/shaderc.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

namespace antiphon::kernels {

namespace {

Result<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad()) return Failure{ErrorKind::unreadable, fmt::format("can't read the kernel file '{}'", path)};
  return text;
}

Result<std::vector<std::uint32_t>> compile_glsl(const std::string& source, const std::string& name,
                                                const std::string& entry) {
  const std::unique_ptr<shaderc_compiler, void (*)(shaderc_compiler*)> compiler(
      shaderc_compiler_initialize(), [](shaderc_compiler* c) { shaderc_compiler_release(c); });
  const std::unique_ptr<shaderc_compile_options, void (*)(shaderc_compile_options*)> options(
      shaderc_compile_options_initialize(), [](shaderc_compile_options* o) { shaderc_compile_options_release(o); });
  shaderc_compile_options_set_target_env(options.get(), shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  shaderc_compile_options_set_optimization_level(options.get(), shaderc_optimization_level_performance);
  const std::unique_ptr<shaderc_compilation_result, void (*)(shaderc_compilation_result*)> result(
      shaderc_compile_into_spv(compiler.get(), source.data(), source.size(), shaderc_compute_shader, name.c_str(),
                               entry.c_str(), options.get()),
      [](shaderc_compilation_result* r) { shaderc_result_release(r); });
  if (shaderc_result_get_compilation_status(result.get()) != shaderc_compilation_status_success) {
    return Failure{ErrorKind::invalid_graph,
                   fmt::format("the kernel does not compile: {}", shaderc_result_get_error_message(result.get()))};
  }
  std::vector<std::uint32_t> words(shaderc_result_get_length(result.get()) / sizeof(std::uint32_t));
  std::memcpy(words.data(), shaderc_result_get_bytes(result.get()), words.size() * sizeof(std::uint32_t));
  return words;
}

}  // namespace

Result<std::vector<std::uint32_t>> compile(const Kernel& kernel) {
  if (!kernel.file().empty()) {
    auto text = read_file(kernel.file());
    if (!text) return text.failure();
    if (!kernel.file().ends_with(".spv")) return compile_glsl(*text, kernel.file(), kernel.entry());
    std::vector<std::uint32_t> words(text->size() / sizeof(std::uint32_t));
    if (text->size() % sizeof(std::uint32_t) != 0) {
      return Failure{ErrorKind::unreadable, fmt::format("'{}' is no SPIR-V: its size is not a multiple of 4 bytes", kernel.file())};
    }
    std::memcpy(words.data(), text->data(), text->size());
    return words;
  }
  if (!kernel.glsl().empty()) return compile_glsl(kernel.glsl(), kernel.source_name(), kernel.entry());
  return kernel.spirv();
}

}  // namespace antiphon::kernels
