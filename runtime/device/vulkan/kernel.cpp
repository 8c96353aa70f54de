#include "device/vulkan/objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace antiphon::device::vulkan {

namespace {

constexpr std::uint32_t sets_per_pool = 64;

}  // namespace

SetPools::SetPools(std::shared_ptr<Core> core, VkDescriptorSetLayout layout, std::uint32_t bindings, std::string name)
    : core_(std::move(core)), layout_(layout), bindings_(bindings), name_(std::move(name)) {}

SetPools::~SetPools() {
  for (const auto pool : pools_) core_->table.vkDestroyDescriptorPool(core_->device, pool, nullptr);
  core_->table.vkDestroyDescriptorSetLayout(core_->device, layout_, nullptr);
}

Result<VkDescriptorSet> SetPools::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, std::max(bindings_, 1U) * sets_per_pool};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = sets_per_pool;
    info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    if (const auto result = core_->table.vkCreateDescriptorPool(core_->device, &info, nullptr, &pool);
        result != VK_SUCCESS) {
      return failure(result, fmt::format("actor '{}': vkCreateDescriptorPool", name_));
    }
    core_->set_name(VK_OBJECT_TYPE_DESCRIPTOR_POOL, pool, name_);
    pools_.push_back(pool);
    const std::vector<VkDescriptorSetLayout> layouts(sets_per_pool, layout_);
    VkDescriptorSetAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = pool;
    allocate.descriptorSetCount = sets_per_pool;
    allocate.pSetLayouts = layouts.data();
    std::vector<VkDescriptorSet> sets(sets_per_pool);
    if (const auto result = core_->table.vkAllocateDescriptorSets(core_->device, &allocate, sets.data());
        result != VK_SUCCESS) {
      return failure(result, fmt::format("actor '{}': vkAllocateDescriptorSets", name_));
    }
    free_ = std::move(sets);
  }
  const auto set = free_.back();
  free_.pop_back();
  return set;
}

void SetPools::give_back(VkDescriptorSet set) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(set);  // within the capacity it had when the set was taken
}

Result<std::unique_ptr<Kernel>> VulkanKernel::make(std::shared_ptr<Core> core, const KernelSpec& spec) {
  std::unique_ptr<VulkanKernel> kernel(new VulkanKernel(std::move(core)));
  auto& c = *kernel->core_;
  kernel->name_ = spec.name;
  kernel->bindings_ = spec.bindings;
  const auto failed = [&](VkResult result, const char* what) {
    return failure(result, fmt::format("actor '{}': {}", spec.name, what));
  };
  if (spec.bindings > c.profile.max_bindings) {
    return Failure{ErrorKind::unsupported,
                   fmt::format("actor '{}' has {} ports, a kernel of '{}' can have {} buffers", spec.name,
                               spec.bindings, c.profile.device, c.profile.max_bindings)};
  }
  std::vector<VkDescriptorSetLayoutBinding> bindings(spec.bindings);
  for (std::uint32_t i = 0; i < spec.bindings; ++i) {
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = spec.bindings;
  set_info.pBindings = bindings.data();
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  if (const auto result = c.table.vkCreateDescriptorSetLayout(c.device, &set_info, nullptr, &set_layout);
      result != VK_SUCCESS) {
    return failed(result, "vkCreateDescriptorSetLayout");
  }
  kernel->sets_ = std::make_shared<SetPools>(kernel->core_, set_layout, spec.bindings, spec.name);
  VkPipelineLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout;
  if (const auto result = c.table.vkCreatePipelineLayout(c.device, &layout_info, nullptr, &kernel->layout_);
      result != VK_SUCCESS) {
    return failed(result, "vkCreatePipelineLayout");
  }

  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = spec.spirv.size() * sizeof(std::uint32_t);
  module_info.pCode = spec.spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  if (const auto result = c.table.vkCreateShaderModule(c.device, &module_info, nullptr, &module);
      result != VK_SUCCESS) {
    return failed(result, "vkCreateShaderModule");
  }
  c.set_name(VK_OBJECT_TYPE_SHADER_MODULE, module, spec.name);
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<std::uint32_t> values;
  for (const auto& [id, bits] : spec.constants) {
    entries.push_back({id, static_cast<std::uint32_t>(values.size() * sizeof(std::uint32_t)), sizeof(std::uint32_t)});
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
  info.stage.module = module;
  info.stage.pName = spec.entry.c_str();
  info.stage.pSpecializationInfo = entries.empty() ? nullptr : &constants;
  info.layout = kernel->layout_;
  const auto result =
      c.table.vkCreateComputePipelines(c.device, c.pipeline_cache, 1, &info, nullptr, &kernel->pipeline_);
  c.table.vkDestroyShaderModule(c.device, module, nullptr);
  if (result != VK_SUCCESS) return failed(result, "vkCreateComputePipelines");
  c.set_name(VK_OBJECT_TYPE_PIPELINE, kernel->pipeline_, spec.name);
  c.set_name(VK_OBJECT_TYPE_PIPELINE_LAYOUT, kernel->layout_, spec.name);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

VulkanKernel::~VulkanKernel() {
  core_->table.vkDestroyPipeline(core_->device, pipeline_, nullptr);
  core_->table.vkDestroyPipelineLayout(core_->device, layout_, nullptr);
}

Result<std::unique_ptr<Bindings>> VulkanBindings::make(const std::shared_ptr<Core>& core, const VulkanKernel& kernel,
                                                       std::span<const Window> windows, const std::string& name) {
  if (windows.size() != kernel.bindings()) {
    return Failure{ErrorKind::misuse, fmt::format("actor '{}': {} windows for a kernel of {} buffers", name,
                                                  windows.size(), kernel.bindings())};
  }
  std::vector<VkDescriptorBufferInfo> buffers(windows.size());
  std::vector<VkWriteDescriptorSet> writes(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto& window = windows[i];
    if (window.bytes > core->profile.max_storage_range) {
      return Failure{ErrorKind::unsupported,
                     fmt::format("actor '{}': port {} moves {} bytes in a firing, a buffer of '{}' can show {}",
                                 name, i, window.bytes, core->profile.device, core->profile.max_storage_range)};
    }
    if (window.bytes == 0 || window.offset % core->profile.storage_offset_alignment != 0 ||
        window.offset > window.buffer->size() || window.bytes > window.buffer->size() - window.offset) {
      return Failure{ErrorKind::misuse, fmt::format("actor '{}': window {} (byte {}, {} bytes) does not lie aligned "
                                                    "within its buffer of {} bytes",
                                                    name, i, window.offset, window.bytes, window.buffer->size())};
    }
    buffers[i] = {static_cast<VulkanBuffer*>(window.buffer)->handle(), window.offset, window.bytes};
  }
  auto set = kernel.sets()->take();
  if (!set) return set.failure();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    writes[i] = {};
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = *set;
    writes[i].dstBinding = static_cast<std::uint32_t>(i);
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &buffers[i];
  }
  core->table.vkUpdateDescriptorSets(core->device, static_cast<std::uint32_t>(writes.size()), writes.data(), 0,
                                     nullptr);
  core->set_name(VK_OBJECT_TYPE_DESCRIPTOR_SET, *set, name);
  return std::unique_ptr<Bindings>(new VulkanBindings(kernel.sets(), *set));
}

VulkanBindings::~VulkanBindings() { pools_->give_back(set_); }

}  // namespace antiphon::device::vulkan
