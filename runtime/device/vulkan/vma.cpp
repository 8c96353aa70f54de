// VMA itself. CMakeLists.txt switches warnings off for this file alone: the code is not ours.
#define VMA_IMPLEMENTATION
#include "device/vulkan/vma.hpp"
