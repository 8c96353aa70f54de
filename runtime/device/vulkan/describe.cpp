#include "device/vulkan/describe.hpp"

#include "device/vulkan/features.hpp"
#include "profile/kernel_needs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace antiphon::device::vulkan {

namespace {

DeviceProfile::Kind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return DeviceProfile::Kind::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return DeviceProfile::Kind::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return DeviceProfile::Kind::virtual_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return DeviceProfile::Kind::software;
    default:
      return DeviceProfile::Kind::other;
  }
}

void describe_limits(const VkPhysicalDeviceLimits& limits, DeviceProfile& profile) {
  profile.storage_offset_alignment = limits.minStorageBufferOffsetAlignment;
  profile.max_storage_range = limits.maxStorageBufferRange;
  profile.max_workgroup_invocations = limits.maxComputeWorkGroupInvocations;
  std::copy_n(limits.maxComputeWorkGroupSize, 3, profile.max_workgroup_size.begin());
  std::copy_n(limits.maxComputeWorkGroupCount, 3, profile.max_group_count.begin());
  profile.max_shared_memory = limits.maxComputeSharedMemorySize;
  profile.max_bindings =
      std::min({limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers,
                limits.maxPerStageResources});
}

void describe_queues(const InstanceTable& t, VkPhysicalDevice physical, DeviceProfile& profile) {
  for (const auto& family : families_of(t, physical)) {
    const bool compute = (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
    const bool graphics = (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
    // Queues that compute or draw can copy, too, and need not say so.
    const bool transfer = compute || graphics || (family.queueFlags & VK_QUEUE_TRANSFER_BIT) != 0;
    profile.queue_families.push_back(
        {family.queueCount, compute, transfer, graphics, family.timestampValidBits});
  }
}

void describe_heaps(const InstanceTable& t, VkPhysicalDevice physical, DeviceProfile& profile) {
  VkPhysicalDeviceMemoryProperties memory{};
  t.vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const auto& heap = memory.memoryHeaps[i];
    profile.heaps.push_back(
        {heap.size, (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0, false});
  }
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const auto& type = memory.memoryTypes[i];
    if ((type.propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
      profile.heaps[type.heapIndex].host_visible = true;
    }
  }
}

void describe_features(const InstanceTable& t, VkPhysicalDevice physical,
                       const VkPhysicalDeviceSubgroupProperties& subgroups,
                       DeviceProfile& profile) {
  const auto extensions = extensions_of(t, physical);
  const bool maintenance4 = std::find(extensions.begin(), extensions.end(),
                                      VK_KHR_MAINTENANCE_4_EXTENSION_NAME) != extensions.end();
  FeatureChain supported(maintenance4);
  FeatureChain enabled(maintenance4);
  t.vkGetPhysicalDeviceFeatures2(physical, &supported.core);
  profile.features = enable_all(supported, enabled);
  profile.subgroup_size = subgroups.subgroupSize;
  if ((subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0) return;
  const auto operations = profile::known_subgroup_operations();
  for (std::size_t bit = 0; bit < operations.size(); ++bit) {
    if ((subgroups.supportedOperations & (1U << bit)) != 0) {
      profile.subgroup_operations.push_back(operations[bit]);
    }
  }
}

}  // namespace

std::vector<VkQueueFamilyProperties> families_of(const InstanceTable& table,
                                                 VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  table.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  table.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  return families;
}

std::vector<std::string> extensions_of(const InstanceTable& table, VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  table.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> available(count);
  table.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, available.data());
  available.resize(count);
  std::vector<std::string> names;
  for (const auto& extension : available) names.emplace_back(extension.extensionName);
  return names;
}

DeviceProfile describe(const InstanceTable& t, VkPhysicalDevice physical) {
  VkPhysicalDeviceProperties basic{};
  t.vkGetPhysicalDeviceProperties(physical, &basic);
  DeviceProfile profile;
  profile.name = basic.deviceName;
  profile.kind = kind_of(basic.deviceType);
  profile.vulkan =
      fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(basic.apiVersion),
                  VK_API_VERSION_MINOR(basic.apiVersion), VK_API_VERSION_PATCH(basic.apiVersion));
  describe_queues(t, physical, profile);
  if (basic.apiVersion < VK_API_VERSION_1_2) return profile;

  VkPhysicalDeviceSubgroupProperties subgroups{};
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceMaintenance3Properties maintenance3{};
  maintenance3.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  maintenance3.pNext = &subgroups;
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  driver.pNext = &maintenance3;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &driver;
  t.vkGetPhysicalDeviceProperties2(physical, &properties);
  profile.driver = fmt::format("{} {}", driver.driverName, driver.driverInfo);
  profile.max_allocation = maintenance3.maxMemoryAllocationSize;
  describe_limits(properties.properties.limits, profile);
  describe_heaps(t, physical, profile);
  describe_features(t, physical, subgroups, profile);
  return profile;
}

}  // namespace antiphon::device::vulkan
