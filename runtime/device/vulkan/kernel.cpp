#include "device/vulkan/objects.hpp"
#include "device/vulkan/result.hpp"
#include "profile/kernel_needs.hpp"

#include <fmt/format.h>

#include <utility>

namespace antiphon::device::vulkan {

Result<std::unique_ptr<Kernel>> VulkanKernel::make(std::shared_ptr<Core> core,
                                                   const KernelSpec& spec) {
  std::unique_ptr<VulkanKernel> kernel(new VulkanKernel(std::move(core)));
  const auto& c = *kernel->core_;
  if (c.lost()) return c.loss();
  const auto unmet = profile::unmet_needs(spec.spirv, c.profile);
  const auto refuse = [&](ErrorKind kind, const std::string& why) {
    return Failure{kind, fmt::format("actor '{}': {}", spec.name, why)};
  };
  if (!unmet) return refuse(unmet.failure().kind, unmet.failure().message);
  if (!(*unmet).empty()) return refuse(ErrorKind::unsupported, "its kernel " + (*unmet).front());
  kernel->name_ = spec.name;
  kernel->bindings_ = spec.bindings;
  if (auto done = kernel->make_layout(); !done) return done.failure();
  if (auto done = kernel->make_pipeline(spec); !done) return done.failure();
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Status VulkanKernel::make_layout() {
  auto& c = *core_;
  std::vector<VkDescriptorSetLayoutBinding> bindings(bindings_);
  for (std::uint32_t i = 0; i < bindings_; ++i) {
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = bindings_;
  set_info.pBindings = bindings.data();
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  auto result = c.table.vkCreateDescriptorSetLayout(c.device, &set_info, nullptr, &set_layout);
  if (result != VK_SUCCESS)
    return c.failed(result, fmt::format("actor '{}': no layout for its windows", name_));
  sets_ = std::make_shared<DescriptorSets>(
      core_, c.own<SetLayout>(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, set_layout, name_), bindings_,
      name_);

  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &set_layout;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  result = c.table.vkCreatePipelineLayout(c.device, &info, nullptr, &layout);
  if (result != VK_SUCCESS)
    return c.failed(result, fmt::format("actor '{}': no layout for its pipeline", name_));
  layout_ = c.own<PipelineLayout>(VK_OBJECT_TYPE_PIPELINE_LAYOUT, layout, name_);
  return {};
}

Status VulkanKernel::make_pipeline(const KernelSpec& spec) {
  auto& c = *core_;
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = spec.spirv.size() * sizeof(std::uint32_t);
  module_info.pCode = spec.spirv.data();
  VkShaderModule module_handle = VK_NULL_HANDLE;
  auto result = c.table.vkCreateShaderModule(c.device, &module_info, nullptr, &module_handle);
  if (result != VK_SUCCESS)
    return c.failed(result, fmt::format("actor '{}': the driver refuses its kernel", name_));
  const auto module = c.own<ShaderModule>(VK_OBJECT_TYPE_SHADER_MODULE, module_handle, name_);

  std::vector<VkSpecializationMapEntry> entries;
  std::vector<std::uint32_t> values;
  for (const auto& [id, bits] : spec.constants) {
    entries.push_back({id, static_cast<std::uint32_t>(values.size() * sizeof bits), sizeof bits});
    values.push_back(bits);
  }
  VkSpecializationInfo constants{};
  constants.mapEntryCount = static_cast<std::uint32_t>(entries.size());
  constants.pMapEntries = entries.data();
  constants.dataSize = values.size() * sizeof(std::uint32_t);
  constants.pData = values.data();
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.get();
  info.stage.pName = spec.entry.c_str();
  info.stage.pSpecializationInfo = entries.empty() ? nullptr : &constants;
  info.layout = layout_.get();
  VkPipeline pipeline = VK_NULL_HANDLE;
  result = c.table.vkCreateComputePipelines(c.device, c.pipeline_cache.get(), 1, &info, nullptr,
                                            &pipeline);
  if (result != VK_SUCCESS) {
    return c.failed(result, fmt::format("actor '{}': the driver can't compile its kernel", name_));
  }
  pipeline_ = c.own<Pipeline>(VK_OBJECT_TYPE_PIPELINE, pipeline, name_);
  return {};
}

}  // namespace antiphon::device::vulkan
