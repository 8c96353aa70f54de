#include "kernels/kernel_interface.hpp"

#include <fmt/format.h>
#include <spirv_cross/spirv_cross_c.h>

#include <algorithm>
#include <memory>

namespace antiphon::kernels {

namespace {

Failure not_a_module(const char* why) {
  return Failure{ErrorKind::invalid_graph, fmt::format("the kernel is no SPIR-V module: {}", why)};
}

// The form that every module has, which SPIRV-Cross takes for granted.
const char* fault_of_form(const std::vector<std::uint32_t>& spirv) {
  if (spirv.size() < 5) return "it has less than a header's five words";
  if (spirv[0] != 0x07230203) return "its first word is not SPIR-V's";
  if (spirv[3] == 0 || spirv[3] > 4'194'303) return "its bound on ids is out of range";
  for (std::size_t at = 5; at < spirv.size();) {
    const std::size_t words = spirv[at] >> 16;
    if (words == 0 || words > spirv.size() - at) return "an instruction ends beyond the module";
    at += words;
  }
  return nullptr;
}

}  // namespace

Result<KernelInterface> read_interface(const std::vector<std::uint32_t>& spirv, const std::string& entry,
                                       const std::vector<std::pair<std::uint32_t, std::uint32_t>>& constants) {
  if (const auto* fault = fault_of_form(spirv)) return not_a_module(fault);
  spvc_context raw = nullptr;
  if (spvc_context_create(&raw) != SPVC_SUCCESS) return Failure{ErrorKind::out_of_memory, "no memory to read a kernel"};
  const std::unique_ptr<spvc_context_s, void (*)(spvc_context)> context(raw, spvc_context_destroy);
  const auto failed = [&] { return not_a_module(spvc_context_get_last_error_string(context.get())); };

  spvc_parsed_ir ir = nullptr;
  spvc_compiler compiler = nullptr;
  if (spvc_context_parse_spirv(context.get(), spirv.data(), spirv.size(), &ir) != SPVC_SUCCESS) return failed();
  if (spvc_context_create_compiler(context.get(), SPVC_BACKEND_NONE, ir, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler) !=
      SPVC_SUCCESS) {
    return failed();
  }
  const spvc_entry_point* entries = nullptr;
  std::size_t count = 0;
  if (spvc_compiler_get_entry_points(compiler, &entries, &count) != SPVC_SUCCESS) return failed();
  const bool found = std::any_of(entries, entries + count, [&](const spvc_entry_point& e) {
    return e.execution_model == SpvExecutionModelGLCompute && entry == e.name;
  });
  if (!found) {
    return Failure{ErrorKind::invalid_graph, fmt::format("the kernel has no compute entry point '{}'", entry)};
  }
  if (spvc_compiler_set_entry_point(compiler, entry.c_str(), SpvExecutionModelGLCompute) != SPVC_SUCCESS) return failed();

  KernelInterface result;
  spvc_specialization_constant sizes[3] = {};
  spvc_compiler_get_work_group_size_specialization_constants(compiler, &sizes[0], &sizes[1], &sizes[2]);
  for (unsigned i = 0; i < 3; ++i) {
    result.workgroup[i] =
        spvc_compiler_get_execution_mode_argument_by_index(compiler, SpvExecutionModeLocalSize, i);
    if (sizes[i].id == 0) continue;
    const auto given = std::find_if(constants.begin(), constants.end(),
                                    [&](const auto& c) { return c.first == sizes[i].constant_id; });
    result.workgroup[i] =
        given != constants.end()
            ? given->second
            : spvc_constant_get_scalar_u32(spvc_compiler_get_constant_handle(compiler, sizes[i].id), 0, 0);
  }

  spvc_set active = nullptr;
  spvc_resources resources = nullptr;
  if (spvc_compiler_get_active_interface_variables(compiler, &active) != SPVC_SUCCESS ||
      spvc_compiler_create_shader_resources_for_active_variables(compiler, &resources, active) != SPVC_SUCCESS) {
    return failed();
  }
  const auto add = [&](spvc_resource_type type) {
    const spvc_reflected_resource* list = nullptr;
    std::size_t n = 0;
    if (spvc_resources_get_resource_list_for_type(resources, type, &list, &n) != SPVC_SUCCESS) return false;
    for (std::size_t i = 0; i < n; ++i) {
      KernelInterface::Binding binding;
      binding.set = spvc_compiler_get_decoration(compiler, list[i].id, SpvDecorationDescriptorSet);
      binding.binding = spvc_compiler_get_decoration(compiler, list[i].id, SpvDecorationBinding);
      binding.name = list[i].name;
      binding.storage_buffer = type == SPVC_RESOURCE_TYPE_STORAGE_BUFFER;
      if (binding.storage_buffer) {
        const SpvDecoration* decorations = nullptr;
        std::size_t decoration_count = 0;
        if (spvc_compiler_get_buffer_block_decorations(compiler, list[i].id, &decorations, &decoration_count) ==
            SPVC_SUCCESS) {
          binding.read_only = std::find(decorations, decorations + decoration_count, SpvDecorationNonWritable) !=
                              decorations + decoration_count;
        }
        const auto type_handle = spvc_compiler_get_type_handle(compiler, list[i].base_type_id);
        const auto members = spvc_type_get_num_member_types(type_handle);
        unsigned stride = 0;
        if (members > 0 &&
            spvc_compiler_type_struct_member_array_stride(compiler, type_handle, members - 1, &stride) == SPVC_SUCCESS) {
          binding.element_stride = stride;
        }
      }
      result.bindings.push_back(std::move(binding));
    }
    return true;
  };
  for (const auto type : {SPVC_RESOURCE_TYPE_STORAGE_BUFFER, SPVC_RESOURCE_TYPE_UNIFORM_BUFFER,
                          SPVC_RESOURCE_TYPE_STORAGE_IMAGE, SPVC_RESOURCE_TYPE_SAMPLED_IMAGE,
                          SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS}) {
    if (!add(type)) return failed();
  }
  std::sort(result.bindings.begin(), result.bindings.end(), [](const auto& a, const auto& b) {
    return std::pair(a.set, a.binding) < std::pair(b.set, b.binding);
  });
  const spvc_reflected_resource* push = nullptr;
  std::size_t pushes = 0;
  if (spvc_resources_get_resource_list_for_type(resources, SPVC_RESOURCE_TYPE_PUSH_CONSTANT, &push, &pushes) ==
          SPVC_SUCCESS &&
      pushes > 0) {
    std::size_t size = 0;
    spvc_compiler_get_declared_struct_size(compiler, spvc_compiler_get_type_handle(compiler, push[0].base_type_id), &size);
    result.push_constants = size;
  }
  return result;
}

}  // namespace antiphon::kernels
