// How a device is found and made.
#include "device/vulkan/open.hpp"
#include "device/vulkan/choice.hpp"
#include "device/vulkan/core.hpp"
#include "device/vulkan/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace antiphon::device::vulkan {

namespace {

// Queues that are taken of each family. More would idle: a run uses one.
constexpr std::uint32_t most_queues = 4;

DeviceKind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return DeviceKind::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return DeviceKind::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return DeviceKind::virtual_;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return DeviceKind::software;
    default:
      return DeviceKind::other;
  }
}

std::vector<VkQueueFamilyProperties> families_of(const InstanceTable& t,
                                                 VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  t.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  t.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  return families;
}

Candidate describe(const InstanceTable& t, VkPhysicalDevice physical) {
  VkPhysicalDeviceProperties properties{};
  t.vkGetPhysicalDeviceProperties(physical, &properties);
  Candidate candidate;
  candidate.name = properties.deviceName;
  candidate.kind = kind_of(properties.deviceType);
  candidate.major = VK_API_VERSION_MAJOR(properties.apiVersion);
  candidate.minor = VK_API_VERSION_MINOR(properties.apiVersion);
  for (const auto& family : families_of(t, physical)) {
    candidate.compute_queue |= (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
  }
  if (properties.apiVersion >= VK_API_VERSION_1_2) {
    FeatureChain features(false);
    t.vkGetPhysicalDeviceFeatures2(physical, &features.core);
    candidate.timeline_semaphore = features.vulkan12.timelineSemaphore == VK_TRUE;
  }
  return candidate;
}

// The families that compute. One that does not draw comes first: it is not shared with a display.
std::vector<std::uint32_t> compute_families(const std::vector<VkQueueFamilyProperties>& families) {
  std::vector<std::uint32_t> chosen;
  for (const bool draws : {false, true}) {
    for (std::uint32_t i = 0; i < families.size(); ++i) {
      const auto flags = families[i].queueFlags;
      if ((flags & VK_QUEUE_COMPUTE_BIT) != 0 && ((flags & VK_QUEUE_GRAPHICS_BIT) != 0) == draws) {
        chosen.push_back(i);
      }
    }
  }
  return chosen;
}

}  // namespace

Result<std::vector<VkPhysicalDevice>> physical_devices(const Instance& instance) {
  const auto& t = instance.table();
  std::uint32_t count = 0;
  auto result = t.vkEnumeratePhysicalDevices(instance.handle(), &count, nullptr);
  std::vector<VkPhysicalDevice> all(count);
  if (result == VK_SUCCESS)
    result = t.vkEnumeratePhysicalDevices(instance.handle(), &count, all.data());
  if (result < 0) return failure(result, "the devices here could not be listed");
  all.resize(count);
  return all;
}

Result<std::vector<std::string>> device_names(const Instance& instance) {
  const auto all = physical_devices(instance);
  if (!all) return all.failure();
  std::vector<std::string> names;
  for (const auto physical : *all) names.push_back(describe(instance.table(), physical).name);
  return names;
}

Result<std::shared_ptr<Core>> Core::open(std::shared_ptr<Instance> instance,
                                         const std::string& wanted) {
  std::shared_ptr<Core> core(new Core);
  core->instance = std::move(instance);
  if (auto done = core->select(wanted); !done) return done.failure();
  if (auto done = core->create_device(); !done) return done.failure();
  if (auto done = core->start_clock(); !done) return done.failure();
  return core;
}

Status Core::select(const std::string& wanted) {
  const auto all = physical_devices(*instance);
  if (!all) return all.failure();
  std::vector<Candidate> candidates;
  for (const auto candidate : *all) candidates.push_back(describe(instance->table(), candidate));
  const auto chosen = choose(candidates, wanted);
  if (!chosen) return chosen.failure();
  physical = (*all)[*chosen];
  return {};
}

void Core::read_profile() {
  VkPhysicalDeviceMaintenance3Properties maintenance3{};
  maintenance3.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  driver.pNext = &maintenance3;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &driver;
  instance->table().vkGetPhysicalDeviceProperties2(physical, &properties);
  const auto& limits = properties.properties.limits;
  profile.device = properties.properties.deviceName;
  profile.driver = fmt::format("{} {}", driver.driverName, driver.driverInfo);
  profile.api_version = properties.properties.apiVersion;
  profile.storage_offset_alignment = limits.minStorageBufferOffsetAlignment;
  profile.max_storage_range = limits.maxStorageBufferRange;
  profile.max_workgroup_invocations = limits.maxComputeWorkGroupInvocations;
  std::copy_n(limits.maxComputeWorkGroupSize, 3, profile.max_workgroup_size.begin());
  std::copy_n(limits.maxComputeWorkGroupCount, 3, profile.max_group_count.begin());
  profile.max_shared_memory = limits.maxComputeSharedMemorySize;
  profile.max_bindings =
      std::min({limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers,
                limits.maxPerStageResources});
  timestamp_period_ns_ = static_cast<double>(limits.timestampPeriod);
  max_allocation = maintenance3.maxMemoryAllocationSize;
}

Status Core::create_device() {
  const auto& t = instance->table();
  read_profile();

  std::uint32_t count = 0;
  t.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> available(count);
  t.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, available.data());
  std::vector<const char*> extensions;
  const auto take = [&](const char* wanted) {
    const bool there = std::any_of(available.begin(), available.end(), [&](const auto& e) {
      return std::strcmp(e.extensionName, wanted) == 0;
    });
    if (there) extensions.push_back(wanted);
    return there;
  };
  const bool memory_budget = take(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  const bool maintenance4 = take(VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
  take("VK_KHR_portability_subset");  // must be enabled where it is there
  if (t.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT != nullptr &&
      take(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME)) {
    std::uint32_t domains = 0;
    t.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(physical, &domains, nullptr);
    std::vector<VkTimeDomainEXT> list(domains);
    t.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(physical, &domains, list.data());
    const auto offers = [&](VkTimeDomainEXT d) {
      return std::find(list.begin(), list.end(), d) != list.end();
    };
    calibrated_timestamps_ =
        offers(VK_TIME_DOMAIN_DEVICE_EXT) && offers(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
  }

  VkPhysicalDeviceSubgroupProperties subgroups{};
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &subgroups;
  t.vkGetPhysicalDeviceProperties2(physical, &properties);
  FeatureChain supported(maintenance4);
  FeatureChain enabled(maintenance4);
  t.vkGetPhysicalDeviceFeatures2(physical, &supported.core);
  features = KernelFeatures::choose(supported, subgroups, enabled);

  const auto all_families = families_of(t, physical);
  families = compute_families(all_families);
  const std::array<float, most_queues> priorities{1, 1, 1, 1};
  std::vector<VkDeviceQueueCreateInfo> queue_infos;
  for (const auto family : families) {
    VkDeviceQueueCreateInfo queue_info{};
    queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue_info.queueFamilyIndex = family;
    queue_info.queueCount = std::min(all_families[family].queueCount, most_queues);
    queue_info.pQueuePriorities = priorities.data();
    queue_infos.push_back(queue_info);
  }
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &enabled.core;
  info.queueCreateInfoCount = static_cast<std::uint32_t>(queue_infos.size());
  info.pQueueCreateInfos = queue_infos.data();
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (const auto result = t.vkCreateDevice(physical, &info, nullptr, &device);
      result != VK_SUCCESS) {
    return failure(result, fmt::format("device '{}' could not be opened", profile.device));
  }
  volkLoadDeviceTable(&table, device);
  set_name(VK_OBJECT_TYPE_DEVICE, device, "antiphon");
  for (const auto& queue_info : queue_infos) {
    for (std::uint32_t i = 0; i < queue_info.queueCount; ++i) {
      auto queue = std::make_unique<DeviceQueue>();
      queue->family = queue_info.queueFamilyIndex;
      queue->timestamp_bits = all_families[queue->family].timestampValidBits;
      table.vkGetDeviceQueue(device, queue->family, i, &queue->handle);
      set_name(VK_OBJECT_TYPE_QUEUE, queue->handle, fmt::format("queue {}", queues.size()));
      queues.push_back(std::move(queue));
    }
  }
  return create_allocator(memory_budget);
}

Status Core::create_allocator(bool memory_budget) {
  VmaVulkanFunctions functions{};
  functions.vkGetInstanceProcAddr = vkGetInstanceProcAddr;
  functions.vkGetDeviceProcAddr = instance->table().vkGetDeviceProcAddr;
  VmaAllocatorCreateInfo info{};
  if (memory_budget) info.flags = VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT;
  info.physicalDevice = physical;
  info.device = device;
  info.instance = instance->handle();
  info.vulkanApiVersion = VK_API_VERSION_1_2;
  info.pVulkanFunctions = &functions;
  if (const auto result = vmaCreateAllocator(&info, &allocator); result != VK_SUCCESS) {
    return failure(result, fmt::format("device '{}': no allocator for its memory", profile.device));
  }
  VkPipelineCacheCreateInfo cache_info{};
  cache_info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  VkPipelineCache cache = VK_NULL_HANDLE;
  if (const auto result = table.vkCreatePipelineCache(device, &cache_info, nullptr, &cache);
      result != VK_SUCCESS) {
    return failure(result, fmt::format("device '{}': no cache for its pipelines", profile.device));
  }
  pipeline_cache = own<PipelineCache>(VK_OBJECT_TYPE_PIPELINE_CACHE, cache, "pipelines");
  return {};
}

}  // namespace antiphon::device::vulkan
