#include "device/vulkan/instance.hpp"

#include "device/vulkan/result.hpp"
#include "trace/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace antiphon::device::vulkan {

namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                          VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data,
                                          void* instance) {
  auto text = fmt::format(
      "{}: {}", severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT ? "error" : "warning",
      data->pMessage != nullptr ? data->pMessage : "");
  for (std::uint32_t i = 0; i < data->objectCount; ++i) {
    if (data->pObjects[i].pObjectName != nullptr)
      text += fmt::format(" [{}]", data->pObjects[i].pObjectName);
  }
  trace::log(LogLevel::warning, "validation " + text);
  static_cast<Instance*>(instance)->add_message(std::move(text));
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(Instance* instance) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  info.pUserData = instance;
  return info;
}

template <typename Function>
void load(VkInstance instance, Function& function, const char* name) {
  function = reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

InstanceTable load_table(VkInstance instance, bool debug_utils) {
  InstanceTable t;
#define ANTIPHON_LOAD(name) load(instance, t.name, #name)
  ANTIPHON_LOAD(vkDestroyInstance);
  ANTIPHON_LOAD(vkEnumeratePhysicalDevices);
  ANTIPHON_LOAD(vkGetPhysicalDeviceProperties2);
  ANTIPHON_LOAD(vkGetPhysicalDeviceProperties);
  ANTIPHON_LOAD(vkGetPhysicalDeviceFeatures2);
  ANTIPHON_LOAD(vkGetPhysicalDeviceMemoryProperties);
  ANTIPHON_LOAD(vkGetPhysicalDeviceMemoryProperties2);
  ANTIPHON_LOAD(vkGetPhysicalDeviceQueueFamilyProperties);
  ANTIPHON_LOAD(vkEnumerateDeviceExtensionProperties);
  ANTIPHON_LOAD(vkCreateDevice);
  ANTIPHON_LOAD(vkGetDeviceProcAddr);
  ANTIPHON_LOAD(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT);
  if (debug_utils) {
    ANTIPHON_LOAD(vkCreateDebugUtilsMessengerEXT);
    ANTIPHON_LOAD(vkDestroyDebugUtilsMessengerEXT);
    ANTIPHON_LOAD(vkSetDebugUtilsObjectNameEXT);
    ANTIPHON_LOAD(vkCmdBeginDebugUtilsLabelEXT);
    ANTIPHON_LOAD(vkCmdEndDebugUtilsLabelEXT);
  }
#undef ANTIPHON_LOAD
  return t;
}

bool instance_has_extension(const char* wanted) {
  std::uint32_t count = 0;
  if (vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> all(count);
  if (vkEnumerateInstanceExtensionProperties(nullptr, &count, all.data()) < 0) return false;
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& e) { return std::strcmp(e.extensionName, wanted) == 0; });
}

bool has_layer(const char* wanted) {
  std::uint32_t count = 0;
  if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkLayerProperties> all(count);
  if (vkEnumerateInstanceLayerProperties(&count, all.data()) < 0) return false;
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& l) { return std::strcmp(l.layerName, wanted) == 0; });
}

}  // namespace

Result<std::shared_ptr<Instance>> Instance::make(bool validation) {
  static std::once_flag once;
  static VkResult loaded = VK_ERROR_INITIALIZATION_FAILED;
  std::call_once(once, [] { loaded = volkInitialize(); });
  if (loaded != VK_SUCCESS) {
    return Failure{
        ErrorKind::no_device,
        "there is no Vulkan loader (libvulkan.so.1): install libvulkan1 and a driver; on Debian, "
        "mesa-vulkan-drivers has one for every machine"};
  }
  if (volkGetInstanceVersion() < VK_API_VERSION_1_2) {
    return Failure{ErrorKind::unsupported,
                   "the Vulkan loader is older than 1.2: update libvulkan1"};
  }
  std::shared_ptr<Instance> instance(new Instance);
  instance->debug_utils_ = instance_has_extension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  std::vector<const char*> extensions;
  std::vector<const char*> layers;
  if (instance->debug_utils_) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  auto messages = messenger_info(instance.get());
  VkValidationFeaturesEXT features{};
  const std::array<VkValidationFeatureEnableEXT, 1> enabled{
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  if (validation) {
    if (!has_layer(validation_layer)) {
      return Failure{
          ErrorKind::unsupported,
          fmt::format("validation was asked for, and {} is not installed: on Debian, install "
                      "vulkan-validationlayers",
                      validation_layer)};
    }
    layers.push_back(validation_layer);
    features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
    features.enabledValidationFeatureCount = static_cast<std::uint32_t>(enabled.size());
    features.pEnabledValidationFeatures = enabled.data();
    messages.pNext = &features;
  }
  VkApplicationInfo app{};
  app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  app.pEngineName = "antiphon";
  app.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &app;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  info.enabledLayerCount = static_cast<std::uint32_t>(layers.size());
  info.ppEnabledLayerNames = layers.data();
  if (validation && instance->debug_utils_) info.pNext = &messages;
  if (const auto result = vkCreateInstance(&info, nullptr, &instance->handle_);
      result != VK_SUCCESS) {
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
      return Failure{
          ErrorKind::no_device,
          "there is no Vulkan driver: install one; on Debian, mesa-vulkan-drivers has one for "
          "every machine"};
    }
    return failure(result, "vkCreateInstance");
  }
  instance->table_ = load_table(instance->handle_, instance->debug_utils_);
  // volk fills device tables through this one; the loader's answer is the same for every instance.
  static std::once_flag device_loader;
  std::call_once(device_loader,
                 [&] { vkGetDeviceProcAddr = instance->table_.vkGetDeviceProcAddr; });
  if (validation && instance->debug_utils_) {
    messages.pNext = nullptr;
    if (const auto result = instance->table_.vkCreateDebugUtilsMessengerEXT(
            instance->handle_, &messages, nullptr, &instance->messenger_);
        result != VK_SUCCESS) {
      return failure(result, "vkCreateDebugUtilsMessengerEXT");
    }
  }
  return instance;
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE)
    table_.vkDestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  if (handle_ != VK_NULL_HANDLE) table_.vkDestroyInstance(handle_, nullptr);
}

std::vector<std::string> Instance::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

void Instance::add_message(std::string message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(std::move(message));
}

}  // namespace antiphon::device::vulkan
