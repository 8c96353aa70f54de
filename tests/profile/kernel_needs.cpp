// What a SPIR-V module asks of a device.
#include "profile/kernel_needs.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace antiphon;
using namespace antiphon::profile;

namespace {

constexpr std::uint32_t magic = 0x07230203;
constexpr std::uint32_t capability = 2U << 16U | 17U;

using Words = std::vector<std::uint32_t>;

Words module_with(const Words& words, std::uint32_t version = 0x00010500) {
  Words all{magic, version, 0, 8, 0};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

DeviceProfile device() {
  DeviceProfile profile;
  profile.name = "card";
  profile.features = {"shaderInt64"};
  profile.subgroup_operations = {"basic"};
  return profile;
}

}  // namespace

TEST_CASE("what each device has is no need") {
  const auto unmet = unmet_needs(
      module_with({capability, 0, capability, 1, capability, 11, capability, 61}), device());
  REQUIRE(unmet);
  CHECK((*unmet).empty());
}

TEST_CASE("each need that is not met is named with what would meet it") {
  // Float64, arithmetic in subgroups, Geometry; LocalSizeId.
  const auto unmet = unmet_needs(
      module_with({capability, 10, capability, 63, capability, 2, 6U << 16U | 331U, 1, 38, 5, 6, 7},
                  0x00010600),
      device());
  REQUIRE(unmet);
  CHECK(*unmet ==
        std::vector<std::string>{
            "is SPIR-V 1.6, and 1.5 is the newest that Vulkan 1.2 takes: compile it for Vulkan 1.2",
            "needs the capability Float64, and 'card' lacks the feature shaderFloat64",
            "needs the operations 'arithmetic' within a subgroup, which 'card' has not",
            "needs SPIR-V's capability 2, which 'card' has not, or which is of no use to a kernel "
            "on storage buffers",
            "needs LocalSizeId, and 'card' lacks the feature maintenance4"});
}

TEST_CASE("what is no module is refused") {
  for (const auto& words :
       {Words{}, Words{1, 2, 3, 4, 5}, module_with({0}), module_with({3U << 16U | 17U, 1})}) {
    const auto unmet = unmet_needs(words, device());
    REQUIRE(!unmet);
    CHECK(unmet.failure().kind == ErrorKind::misuse);
  }
}
