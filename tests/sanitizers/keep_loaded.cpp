// Part of every program under the address sanitizer. The Vulkan loader unloads drivers and layers
// with their instance; what is unloaded has no name any more, and the leak checker can't tell what
// it leaked from what we did. So it stays.
extern "C" int dlclose(void*) noexcept {
  return 0;
}
