// How a device is found and made.
#include "device/vulkan/open.hpp"
#include "device/vulkan/choice.hpp"
#include "device/vulkan/core.hpp"
#include "device/vulkan/describe.hpp"
#include "device/vulkan/features.hpp"
#include "device/vulkan/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace antiphon::device::vulkan {

namespace {

// Queues that are taken of each family. More would idle: a run uses one.
constexpr std::uint32_t most_queues = 4;

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

Result<std::vector<DeviceProfile>> device_profiles(const Instance& instance) {
  const auto all = physical_devices(instance);
  if (!all) return all.failure();
  std::vector<DeviceProfile> profiles;
  for (const auto physical : *all) profiles.push_back(describe(instance.table(), physical));
  return profiles;
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
  const auto profiles = device_profiles(*instance);
  if (!profiles) return profiles.failure();
  const auto chosen = choose(*profiles, wanted);
  if (!chosen) return chosen.failure();
  physical = (*all)[*chosen];
  profile = (*profiles)[*chosen];
  return {};
}

Status Core::create_device() {
  const auto& t = instance->table();
  VkPhysicalDeviceProperties properties{};
  t.vkGetPhysicalDeviceProperties(physical, &properties);
  timestamp_period_ns_ = static_cast<double>(properties.limits.timestampPeriod);

  const auto available = extensions_of(t, physical);
  std::vector<const char*> extensions;
  const auto take = [&](const char* wanted) {
    const bool there = std::find(available.begin(), available.end(), wanted) != available.end();
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

  FeatureChain supported(maintenance4);
  FeatureChain enabled(maintenance4);
  t.vkGetPhysicalDeviceFeatures2(physical, &supported.core);
  enable_all(supported, enabled);

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
    return failure(result, fmt::format("device '{}' could not be opened", profile.name));
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
    return failure(result, fmt::format("device '{}': no allocator for its memory", profile.name));
  }
  VkPipelineCacheCreateInfo cache_info{};
  cache_info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  VkPipelineCache cache = VK_NULL_HANDLE;
  if (const auto result = table.vkCreatePipelineCache(device, &cache_info, nullptr, &cache);
      result != VK_SUCCESS) {
    return failure(result, fmt::format("device '{}': no cache for its pipelines", profile.name));
  }
  pipeline_cache = own<PipelineCache>(VK_OBJECT_TYPE_PIPELINE_CACHE, cache, "pipelines");
  return {};
}

}  // namespace antiphon::device::vulkan
