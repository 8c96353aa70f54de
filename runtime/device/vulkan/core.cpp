#include "device/vulkan/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace antiphon::device::vulkan {

namespace {

int preference(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return 1;
    default: return 0;
  }
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What kernels may use: whatever the device has of these is switched on.
struct Features {
  VkPhysicalDeviceFeatures2 base{};
  VkPhysicalDevice16BitStorageFeatures storage16{};
  VkPhysicalDeviceVulkan12Features vulkan12{};

  Features() {
    base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    base.pNext = &storage16;
    storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
    storage16.pNext = &vulkan12;
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;

  void keep_what_is_used() {
    const auto f = base.features;
    base.features = {};
    base.features.shaderInt16 = f.shaderInt16;
    base.features.shaderInt64 = f.shaderInt64;
    base.features.shaderFloat64 = f.shaderFloat64;
    storage16.storagePushConstant16 = VK_FALSE;
    storage16.storageInputOutput16 = VK_FALSE;
    const auto v = vulkan12;
    vulkan12 = {};
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    vulkan12.timelineSemaphore = v.timelineSemaphore;
    vulkan12.shaderInt8 = v.shaderInt8;
    vulkan12.shaderFloat16 = v.shaderFloat16;
    vulkan12.storageBuffer8BitAccess = v.storageBuffer8BitAccess;
    vulkan12.uniformAndStorageBuffer8BitAccess = v.uniformAndStorageBuffer8BitAccess;
    vulkan12.shaderSubgroupExtendedTypes = v.shaderSubgroupExtendedTypes;
  }
};

}  // namespace

Result<std::shared_ptr<Core>> Core::open(std::shared_ptr<Instance> instance, const std::string& wanted) {
  std::shared_ptr<Core> core(new Core);
  core->instance = std::move(instance);
  if (auto done = core->select(wanted); !done) return done.failure();
  if (auto done = core->create(); !done) return done.failure();
  if (auto done = core->calibrate(); !done) return done.failure();
  return core;
}

Status Core::select(const std::string& wanted) {
  const auto& t = instance->table();
  std::uint32_t count = 0;
  auto result = t.vkEnumeratePhysicalDevices(instance->handle(), &count, nullptr);
  std::vector<VkPhysicalDevice> all(count);
  if (result == VK_SUCCESS) result = t.vkEnumeratePhysicalDevices(instance->handle(), &count, all.data());
  if (result != VK_SUCCESS) return failure(result, "vkEnumeratePhysicalDevices");
  if (all.empty()) {
    return Failure{ErrorKind::no_device,
                   "no Vulkan driver offers a device: install one; on Debian, mesa-vulkan-drivers has one for "
                   "every machine"};
  }
  int best = -1;
  std::string names;
  for (const auto candidate : all) {
    VkPhysicalDeviceProperties properties;
    t.vkGetPhysicalDeviceProperties(candidate, &properties);
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", properties.deviceName);
    if (std::string_view(properties.deviceName).find(wanted) == std::string_view::npos) continue;
    if (preference(properties.deviceType) > best) {
      best = preference(properties.deviceType);
      physical = candidate;
    }
  }
  if (physical == VK_NULL_HANDLE) {
    return Failure{ErrorKind::no_device,
                   fmt::format("no Vulkan device has '{}' in its name; there are {}", wanted, names)};
  }
  return {};
}

Status Core::create() {
  const auto& t = instance->table();
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &driver;
  t.vkGetPhysicalDeviceProperties2(physical, &properties);
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
  profile.max_bindings = limits.maxPerStageDescriptorStorageBuffers;
  timestamp_period_ns = limits.timestampPeriod;
  if (profile.api_version < VK_API_VERSION_1_2) {
    return Failure{ErrorKind::unsupported,
                   fmt::format("device '{}' has Vulkan {}.{}, needs 1.2: update its driver", profile.device,
                               VK_API_VERSION_MAJOR(profile.api_version),
                               VK_API_VERSION_MINOR(profile.api_version))};
  }

  Features features;
  t.vkGetPhysicalDeviceFeatures2(physical, &features.base);
  features.keep_what_is_used();
  if (features.vulkan12.timelineSemaphore == VK_FALSE) {
    return Failure{ErrorKind::unsupported,
                   fmt::format("device '{}' has no timeline semaphores, which everything here hangs on: "
                               "update its driver",
                               profile.device)};
  }

  std::uint32_t count = 0;
  t.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  t.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  // A family that computes and does not draw is less likely to be shared with a display.
  const auto find = [&](VkQueueFlags wanted, VkQueueFlags unwanted) {
    return static_cast<std::uint32_t>(
        std::find_if(families.begin(), families.end(),
                     [&](const auto& f) {
                       return (f.queueFlags & wanted) == wanted && (f.queueFlags & unwanted) == 0;
                     }) -
        families.begin());
  };
  family = find(VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT);
  if (family == count) family = find(VK_QUEUE_COMPUTE_BIT, 0);
  if (family == count) {
    return Failure{ErrorKind::unsupported, fmt::format("device '{}' has no queue that computes", profile.device)};
  }
  timestamp_bits = families[family].timestampValidBits;

  t.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> available(count);
  t.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, available.data());
  const auto has = [&](const char* wanted) {
    return std::any_of(available.begin(), available.end(),
                       [&](const auto& e) { return std::strcmp(e.extensionName, wanted) == 0; });
  };
  std::vector<const char*> extensions;
  const bool budget = has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (budget) extensions.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (has(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) &&
      t.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT != nullptr) {
    std::uint32_t domains = 0;
    t.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(physical, &domains, nullptr);
    std::vector<VkTimeDomainEXT> list(domains);
    t.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(physical, &domains, list.data());
    const auto offers = [&](VkTimeDomainEXT d) { return std::find(list.begin(), list.end(), d) != list.end(); };
    calibrated_ = offers(VK_TIME_DOMAIN_DEVICE_EXT) && offers(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
    if (calibrated_) extensions.push_back(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
  }

  const float priority = 1;
  VkDeviceQueueCreateInfo queue_info{};
  queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue_info.queueFamilyIndex = family;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.base;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue_info;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (const auto result = t.vkCreateDevice(physical, &info, nullptr, &device); result != VK_SUCCESS) {
    return failure(result, fmt::format("vkCreateDevice of '{}'", profile.device));
  }
  volkLoadDeviceTable(&table, device);
  table.vkGetDeviceQueue(device, family, 0, &queue);
  set_name(VK_OBJECT_TYPE_QUEUE, queue, "antiphon queue");

  VmaVulkanFunctions functions{};
  functions.vkGetInstanceProcAddr = vkGetInstanceProcAddr;
  functions.vkGetDeviceProcAddr = t.vkGetDeviceProcAddr;
  VmaAllocatorCreateInfo allocator_info{};
  if (budget) allocator_info.flags = VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT;
  allocator_info.physicalDevice = physical;
  allocator_info.device = device;
  allocator_info.instance = instance->handle();
  allocator_info.vulkanApiVersion = VK_API_VERSION_1_2;
  allocator_info.pVulkanFunctions = &functions;
  if (const auto result = vmaCreateAllocator(&allocator_info, &allocator); result != VK_SUCCESS) {
    return failure(result, "vmaCreateAllocator");
  }
  VkPipelineCacheCreateInfo cache{};
  cache.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  if (const auto result = table.vkCreatePipelineCache(device, &cache, nullptr, &pipeline_cache);
      result != VK_SUCCESS) {
    return failure(result, "vkCreatePipelineCache");
  }
  return {};
}

// Ties the device's clock to the host's: by the extension, or by a timestamp whose moment is known to lie
// between two readings of the host's clock.
Status Core::calibrate() {
  if (timestamp_bits == 0) return {};
  if (calibrated_) {
    std::array<VkCalibratedTimestampInfoEXT, 2> infos{};
    infos[0].sType = infos[1].sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
    infos[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
    infos[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
    std::array<std::uint64_t, 2> values{};
    std::uint64_t deviation = 0;
    const auto result =
        table.vkGetCalibratedTimestampsEXT(device, 2, infos.data(), values.data(), &deviation);
    if (result != VK_SUCCESS) return failure(result, "vkGetCalibratedTimestampsEXT");
    reference_ticks_ = values[0];
    reference_ns_ = static_cast<std::int64_t>(values[1]);
    return {};
  }
  VkCommandPool pool = VK_NULL_HANDLE;
  VkQueryPool queries = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = family;
  VkQueryPoolCreateInfo query_info{};
  query_info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  query_info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  query_info.queryCount = 1;
  VkFenceCreateInfo fence_info{};
  fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  auto result = table.vkCreateCommandPool(device, &pool_info, nullptr, &pool);
  if (result == VK_SUCCESS) result = table.vkCreateQueryPool(device, &query_info, nullptr, &queries);
  if (result == VK_SUCCESS) result = table.vkCreateFence(device, &fence_info, nullptr, &fence);
  if (result == VK_SUCCESS) {
    VkCommandBufferAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate.commandPool = pool;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    result = table.vkAllocateCommandBuffers(device, &allocate, &commands);
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    if (result == VK_SUCCESS) result = table.vkBeginCommandBuffer(commands, &begin);
    if (result == VK_SUCCESS) {
      table.vkCmdResetQueryPool(commands, queries, 0, 1);
      table.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 0);
      result = table.vkEndCommandBuffer(commands);
    }
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    const auto before = now_ns();
    if (result == VK_SUCCESS) result = table.vkQueueSubmit(queue, 1, &submit, fence);
    if (result == VK_SUCCESS) result = table.vkWaitForFences(device, 1, &fence, VK_TRUE, 10'000'000'000U);
    const auto after = now_ns();
    if (result == VK_SUCCESS) {
      result = table.vkGetQueryPoolResults(device, queries, 0, 1, sizeof reference_ticks_, &reference_ticks_,
                                           sizeof reference_ticks_, VK_QUERY_RESULT_64_BIT);
      reference_ns_ = before + (after - before) / 2;
    }
  }
  table.vkDestroyFence(device, fence, nullptr);
  table.vkDestroyQueryPool(device, queries, nullptr);
  table.vkDestroyCommandPool(device, pool, nullptr);
  if (result != VK_SUCCESS) return failure(result, "calibrating the device's clock");
  return {};
}

std::int64_t Core::steady_ns(std::uint64_t timestamp) const noexcept {
  const auto mask = timestamp_bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << timestamp_bits) - 1;
  auto ticks = (timestamp - reference_ticks_) & mask;
  // A difference in the upper half of what the counter holds is a moment before the reference.
  const bool before = ticks > mask / 2;
  if (before) ticks = (reference_ticks_ - timestamp) & mask;
  const auto ns = timestamp_period_ns == 1 ? static_cast<std::int64_t>(ticks)
                                           : static_cast<std::int64_t>(static_cast<double>(ticks) * timestamp_period_ns);
  return reference_ns_ + (before ? -ns : ns);
}

void Core::set_name(VkObjectType type, std::uint64_t handle, const std::string& text) const noexcept {
  if (instance->table().vkSetDebugUtilsObjectNameEXT == nullptr) return;
  VkDebugUtilsObjectNameInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  info.objectType = type;
  info.objectHandle = handle;
  info.pObjectName = text.c_str();
  instance->table().vkSetDebugUtilsObjectNameEXT(device, &info);
}

Core::~Core() {
  if (device == VK_NULL_HANDLE) return;
  if (pipeline_cache != VK_NULL_HANDLE) table.vkDestroyPipelineCache(device, pipeline_cache, nullptr);
  if (allocator != VK_NULL_HANDLE) vmaDestroyAllocator(allocator);
  table.vkDestroyDevice(device, nullptr);
}

}  // namespace antiphon::device::vulkan
