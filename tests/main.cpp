#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#if defined(__has_feature)
#define ANTIPHON_HAS_FEATURE(x) __has_feature(x)
#else
#define ANTIPHON_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || ANTIPHON_HAS_FEATURE(address_sanitizer)
// The Vulkan loader unloads drivers and layers with their instance. What is unloaded has no name
// any more, and the leak checker can't tell what it leaked from what we did: so it stays.
extern "C" int dlclose(void*) noexcept {
  return 0;
}
#endif
