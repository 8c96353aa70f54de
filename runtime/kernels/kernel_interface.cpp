#include "kernels/kernel_interface.hpp"

#include "kernels/spirv_module.hpp"

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>
#include <spirv_cross/spirv_cross_c.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace antiphon::kernels {

namespace {

Failure not_a_module(const std::string& why) {
  return Failure{ErrorKind::invalid_graph,
                 fmt::format("the kernel is no valid SPIR-V module: {}", why)};
}

// By the validator of the Khronos group: SPIRV-Cross and drivers take validity for granted.
Status validate(const std::vector<std::uint32_t>& spirv) {
  const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
      spvContextCreate(SPV_ENV_VULKAN_1_2), spvContextDestroy);
  const std::unique_ptr<spv_validator_options_t, decltype(&spvValidatorOptionsDestroy)> options(
      spvValidatorOptionsCreate(), spvValidatorOptionsDestroy);
  // Whether the device has the features for these is for the device to say.
  spvValidatorOptionsSetScalarBlockLayout(options.get(), true);
  spvValidatorOptionsSetAllowLocalSizeId(options.get(), true);
  spv_const_binary_t binary{spirv.data(), spirv.size()};
  spv_diagnostic raw = nullptr;
  const auto result = spvValidateWithOptions(context.get(), options.get(), &binary, &raw);
  const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> diagnostic(
      raw, spvDiagnosticDestroy);
  if (result == SPV_SUCCESS) return {};
  return not_a_module(diagnostic && diagnostic->error != nullptr ? diagnostic->error
                                                                 : "it fails validation");
}

// What SPIRV-Cross finds; its calls fail by their results, its handles may be null.
class Reflection {
 public:
  static Result<KernelInterface> read(const std::vector<std::uint32_t>& spirv,
                                      const std::string& entry, const SpecialisedModule& module) {
    spvc_context context = nullptr;
    if (spvc_context_create(&context) != SPVC_SUCCESS) {
      return Failure{ErrorKind::out_of_memory, "no memory to read a kernel"};
    }
    Reflection reflection(context, module);
    KernelInterface result;
    if (reflection.open(spirv, entry) && reflection.read_resources(result)) return result;
    const char* const why = spvc_context_get_last_error_string(context);
    return not_a_module(why != nullptr && *why != '\0' ? why : "its interface can't be read");
  }

 private:
  Reflection(spvc_context context, const SpecialisedModule& module)
      : context_(context, spvc_context_destroy), module_(module) {}

  bool open(const std::vector<std::uint32_t>& spirv, const std::string& entry) {
    spvc_parsed_ir ir = nullptr;
    return spvc_context_parse_spirv(context_.get(), spirv.data(), spirv.size(), &ir) ==
               SPVC_SUCCESS &&
           spvc_context_create_compiler(context_.get(), SPVC_BACKEND_NONE, ir,
                                        SPVC_CAPTURE_MODE_TAKE_OWNERSHIP,
                                        &compiler_) == SPVC_SUCCESS &&
           spvc_compiler_set_entry_point(compiler_, entry.c_str(), SpvExecutionModelGLCompute) ==
               SPVC_SUCCESS;
  }

  bool read_resources(KernelInterface& result) {
    spvc_set used = nullptr;
    if (spvc_compiler_get_active_interface_variables(compiler_, &used) != SPVC_SUCCESS ||
        spvc_compiler_create_shader_resources_for_active_variables(compiler_, &resources_, used) !=
            SPVC_SUCCESS) {
      return false;
    }
    for (const auto type : {SPVC_RESOURCE_TYPE_STORAGE_BUFFER, SPVC_RESOURCE_TYPE_UNIFORM_BUFFER,
                            SPVC_RESOURCE_TYPE_STORAGE_IMAGE, SPVC_RESOURCE_TYPE_SAMPLED_IMAGE,
                            SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS,
                            SPVC_RESOURCE_TYPE_ACCELERATION_STRUCTURE}) {
      if (!read_bindings(type, result.bindings)) return false;
    }
    std::sort(result.bindings.begin(), result.bindings.end(), [](const auto& a, const auto& b) {
      return std::pair(a.set, a.binding) < std::pair(b.set, b.binding);
    });
    return read_push_constants(result.push_constants);
  }

  bool read_bindings(spvc_resource_type type, std::vector<KernelInterface::Binding>& bindings) {
    const spvc_reflected_resource* list = nullptr;
    std::size_t count = 0;
    if (spvc_resources_get_resource_list_for_type(resources_, type, &list, &count) != SPVC_SUCCESS)
      return false;
    for (std::size_t i = 0; i < count; ++i) {
      KernelInterface::Binding binding;
      binding.set = spvc_compiler_get_decoration(compiler_, list[i].id, SpvDecorationDescriptorSet);
      binding.binding = spvc_compiler_get_decoration(compiler_, list[i].id, SpvDecorationBinding);
      binding.name = name_of(list[i], binding.binding);
      binding.storage_buffer = type == SPVC_RESOURCE_TYPE_STORAGE_BUFFER && !is_array(list[i]);
      if (binding.storage_buffer) {
        binding.read_only = is_read_only(list[i].id);
        binding.written = module_.writes(list[i].id);
        binding.fixed_bytes = fixed_bytes(list[i].base_type_id);
        read_trailing_array(list[i].base_type_id, binding);
      }
      bindings.push_back(std::move(binding));
    }
    return true;
  }

  // The instance's name; the block's where the instance has none. Optimised modules have neither.
  std::string name_of(const spvc_reflected_resource& resource, std::uint32_t binding) {
    for (const auto id : {resource.id, resource.base_type_id}) {
      const char* const name = spvc_compiler_get_name(compiler_, id);
      if (name != nullptr && *name != '\0') return name;
    }
    return fmt::format("binding {}", binding);
  }

  // A descriptor array: several buffers at one binding.
  bool is_array(const spvc_reflected_resource& resource) {
    const auto type = spvc_compiler_get_type_handle(compiler_, resource.type_id);
    return type != nullptr && spvc_type_get_num_array_dimensions(type) > 0;
  }

  bool is_read_only(spvc_variable_id id) {
    const SpvDecoration* decorations = nullptr;
    std::size_t count = 0;
    if (spvc_compiler_get_buffer_block_decorations(compiler_, id, &decorations, &count) !=
        SPVC_SUCCESS)
      return false;
    return std::find(decorations, decorations + count, SpvDecorationNonWritable) !=
           decorations + count;
  }

  std::size_t fixed_bytes(spvc_type_id block) {
    const auto type = spvc_compiler_get_type_handle(compiler_, block);
    std::size_t bytes = 0;
    if (type == nullptr ||
        spvc_compiler_get_declared_struct_size(compiler_, type, &bytes) != SPVC_SUCCESS) {
      return 0;
    }
    return bytes;
  }

  void read_trailing_array(spvc_type_id block, KernelInterface::Binding& binding) {
    const auto type = spvc_compiler_get_type_handle(compiler_, block);
    if (type == nullptr) return;
    const auto members = spvc_type_get_num_member_types(type);
    if (members == 0) return;
    const auto last =
        spvc_compiler_get_type_handle(compiler_, spvc_type_get_member_type(type, members - 1));
    // Only an array without a length is counted in elements.
    if (last == nullptr || spvc_type_get_num_array_dimensions(last) == 0 ||
        spvc_type_get_array_dimension(last, spvc_type_get_num_array_dimensions(last) - 1) != 0) {
      return;
    }
    unsigned stride = 0;
    if (spvc_compiler_type_struct_member_array_stride(compiler_, type, members - 1, &stride) !=
        SPVC_SUCCESS) {
      return;
    }
    binding.element_stride = stride;
    binding.element_bytes = element_bytes(last, stride);
  }

  // Of vectors and scalars what they hold; whatever else fills its stride.
  std::size_t element_bytes(spvc_type array, std::size_t stride) {
    if (spvc_type_get_num_array_dimensions(array) > 1 || spvc_type_get_columns(array) > 1 ||
        spvc_type_get_basetype(array) == SPVC_BASETYPE_STRUCT) {
      return stride;
    }
    return std::size_t{spvc_type_get_bit_width(array)} / 8 * spvc_type_get_vector_size(array);
  }

  bool read_push_constants(std::size_t& bytes) {
    const spvc_reflected_resource* list = nullptr;
    std::size_t count = 0;
    if (spvc_resources_get_resource_list_for_type(resources_, SPVC_RESOURCE_TYPE_PUSH_CONSTANT,
                                                  &list, &count) != SPVC_SUCCESS) {
      return false;
    }
    if (count == 0) return true;
    const auto type = spvc_compiler_get_type_handle(compiler_, list[0].base_type_id);
    return type != nullptr &&
           spvc_compiler_get_declared_struct_size(compiler_, type, &bytes) == SPVC_SUCCESS;
  }

  std::unique_ptr<spvc_context_s, decltype(&spvc_context_destroy)> context_;
  const SpecialisedModule& module_;
  spvc_compiler compiler_ = nullptr;    // the context's
  spvc_resources resources_ = nullptr;  // the context's
};

}  // namespace

Result<KernelInterface> read_interface(
    const std::vector<std::uint32_t>& spirv, const std::string& entry,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& constants) {
  if (const auto fault = fault_of_form(spirv); !fault.empty()) return not_a_module(fault);
  if (auto valid = validate(spirv); !valid) return valid.failure();
  const SpecialisedModule module(spirv, constants);
  const auto& entries = module.entries();
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const ComputeEntry& e) { return e.name == entry; });
  if (found == entries.end()) {
    std::string names;
    for (const auto& e : entries)
      names += fmt::format("{}'{}'", names.empty() ? "; there is " : ", ", e.name);
    return Failure{ErrorKind::invalid_graph,
                   fmt::format("the kernel has no compute entry point '{}'{}", entry, names)};
  }
  const auto workgroup = module.workgroup(*found);
  const auto shared_memory = module.shared_memory();
  if (!workgroup || !shared_memory) {
    return Failure{
        ErrorKind::unsupported,
        fmt::format(
            "the {} of entry point '{}' is computed from constants in a way that is not followed; "
            "give its size by a constant alone",
            workgroup ? "shared memory" : "workgroup", entry)};
  }
  for (const auto size : *workgroup) {
    if (size == 0) {
      return Failure{ErrorKind::invalid_graph,
                     fmt::format("a workgroup of entry point '{}' is {} x {} x {}: empty", entry,
                                 (*workgroup)[0], (*workgroup)[1], (*workgroup)[2])};
    }
  }
  auto result = Reflection::read(spirv, entry, module);
  if (!result) return result;
  (*result).workgroup = *workgroup;
  (*result).shared_memory = *shared_memory;
  for (const auto& constant : constants) {
    if (!module.has_constant(constant.first)) {
      (*result).unknown_constants.push_back(constant.first);
    }
  }
  return result;
}

}  // namespace antiphon::kernels
