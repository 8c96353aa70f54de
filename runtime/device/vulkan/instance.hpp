// The loader and an instance: what is there, before any device is opened.
#pragma once

#include "base/result.hpp"

#include <volk.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace antiphon::device::vulkan {

// Instance functions of one instance, looked up by it: nothing of volk's global tables is used
// after the loader itself, so that programs with instances of their own are left alone.
struct InstanceTable {
  PFN_vkDestroyInstance vkDestroyInstance = nullptr;
  PFN_vkEnumeratePhysicalDevices vkEnumeratePhysicalDevices = nullptr;
  PFN_vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceProperties2 = nullptr;
  PFN_vkGetPhysicalDeviceProperties vkGetPhysicalDeviceProperties = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceFeatures2 = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties vkGetPhysicalDeviceMemoryProperties = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties2 vkGetPhysicalDeviceMemoryProperties2 = nullptr;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties vkGetPhysicalDeviceQueueFamilyProperties = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties vkEnumerateDeviceExtensionProperties = nullptr;
  PFN_vkCreateDevice vkCreateDevice = nullptr;
  PFN_vkGetDeviceProcAddr vkGetDeviceProcAddr = nullptr;
  // Null where the instance has no such extension:
  PFN_vkCreateDebugUtilsMessengerEXT vkCreateDebugUtilsMessengerEXT = nullptr;
  PFN_vkDestroyDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT = nullptr;
  PFN_vkSetDebugUtilsObjectNameEXT vkSetDebugUtilsObjectNameEXT = nullptr;
  PFN_vkCmdBeginDebugUtilsLabelEXT vkCmdBeginDebugUtilsLabelEXT = nullptr;
  PFN_vkCmdEndDebugUtilsLabelEXT vkCmdEndDebugUtilsLabelEXT = nullptr;
  PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT
      vkGetPhysicalDeviceCalibrateableTimeDomainsEXT = nullptr;
};

// Any thread.
class Instance {
 public:
  static Result<std::shared_ptr<Instance>> make(bool validation);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const noexcept { return handle_; }
  const InstanceTable& table() const noexcept { return table_; }
  std::vector<std::string> messages() const;
  void add_message(std::string message);

 private:
  Instance() = default;

  VkInstance handle_ = VK_NULL_HANDLE;
  InstanceTable table_;
  bool debug_utils_ = false;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;  // guarded by mutex_
};

}  // namespace antiphon::device::vulkan
