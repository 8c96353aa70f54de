// Profiles of devices as files: written, read back, and refused with the place that is wrong.
#include "profile/usable.hpp"

#include <antiphon/device_profile.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

using namespace antiphon;

namespace {

DeviceProfile card() {
  DeviceProfile profile;
  profile.name = "Card \"5\"";
  profile.driver = "driver 1.2";
  profile.kind = DeviceProfile::Kind::discrete;
  profile.vulkan = "1.3.230";
  profile.storage_offset_alignment = 16;
  profile.max_storage_range = 0xffffffff;
  profile.max_allocation = std::size_t{4} << 30U;
  profile.max_workgroup_invocations = 1024;
  profile.max_workgroup_size = {1024, 1024, 64};
  profile.max_group_count = {0x7fffffff, 65535, 65535};
  profile.max_shared_memory = 49152;
  profile.max_bindings = 1048576;
  profile.heaps = {{std::uint64_t{8} << 30U, true, false}, {std::uint64_t{16} << 30U, false, true}};
  profile.queue_families = {{16, true, true, true, 64}, {2, false, true, false, 0}};
  profile.features = {"shaderInt64", "timelineSemaphore"};
  profile.subgroup_size = 32;
  profile.subgroup_operations = {"basic", "vote"};
  return profile;
}

std::string refusal(const std::string& text) {
  try {
    parse_device_profile(text, "p.json");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unreadable);
    std::string what = error.what();
    const std::string begin = "'p.json' is no profile of a device: ";
    REQUIRE(what.starts_with(begin));
    return what.substr(begin.size());
  }
  return "none";
}

}  // namespace

TEST_CASE("a profile that was written is read back as it was") {
  const auto text = write_device_profile(card());
  const auto read = parse_device_profile(text, "p.json");
  CHECK(write_device_profile(read) == text);
  CHECK(read.name == "Card \"5\"");
  CHECK(read.kind == DeviceProfile::Kind::discrete);
  CHECK(read.max_allocation == std::size_t{4} << 30U);
  CHECK(read.max_workgroup_size == std::array<std::uint32_t, 3>{1024, 1024, 64});
  REQUIRE(read.heaps.size() == 2);
  CHECK(read.heaps[1].bytes == std::uint64_t{16} << 30U);
  CHECK(!read.heaps[0].host_visible);
  REQUIRE(read.queue_families.size() == 2);
  CHECK(read.queue_families[0].timestamp_bits == 64);
  CHECK(!read.queue_families[1].compute);
  CHECK(read.has_feature("shaderInt64"));
  CHECK(!read.has_feature("shaderFloat64"));
  CHECK(read.subgroup_operations == std::vector<std::string>{"basic", "vote"});
}

TEST_CASE("what a profile leaves out is the least that Vulkan asks of a device") {
  const auto read = parse_device_profile(R"({"format": 1, "name": "x", "x-mine": [1]})", "p.json");
  CHECK(read.max_workgroup_invocations == 128);
  CHECK(read.max_shared_memory == 16384);
  CHECK(read.storage_offset_alignment == 256);
  CHECK(read.heaps.empty());
}

TEST_CASE("an array of one device is that device; of several it is said which there are") {
  const auto one = write_device_profile(card());
  CHECK(parse_device_profile("[" + one + "]", "p.json").name == "Card \"5\"");
  CHECK(refusal("[" + one + "," + one + "]") ==
        "it describes 2 devices: 'Card \"5\"', 'Card \"5\"'; give it one of them");
  CHECK(refusal("[]") == "it describes 0 devices; give it one of them");
}

TEST_CASE("each thing that is wrong in a profile is named by its place") {
  const auto with = [](const std::string& members) {
    return refusal(R"({"format": 1, "name": "x", )" + members + "}");
  };
  CHECK(with(R"("max_shared_memory": 1)") == "none");
  CHECK(refusal("{}") == "it has no format: add \"format\": 1");
  CHECK(refusal(R"({"format": 2})") == "it is of format 2, and 1 is the one that is known here");
  CHECK(refusal(R"({"format": 1})") == "'name' is missing: a device has a name");
  CHECK(refusal("3") == "is no object");
  CHECK(with(R"("max_share": 1)") ==
        "'max_share' is no key of a profile (keys that begin with x- are free)");
  CHECK(with(R"("max_shared_memory": -1)") == "'max_shared_memory' is no whole number from 0 on");
  CHECK(with(R"("max_shared_memory": 1.5)") == "'max_shared_memory' is no whole number from 0 on");
  CHECK(with(R"("max_shared_memory": 4294967296)") ==
        "'max_shared_memory' is 4294967296, and 4294967295 is the most");
  CHECK(with(R"("max_workgroup_size": [1, 2])") ==
        "'max_workgroup_size' is no list of three numbers");
  CHECK(with(R"("max_workgroup_size": [1, "2", 3])") ==
        "'max_workgroup_size[1]' is no whole number from 0 on");
  CHECK(with(R"("heaps": [{"bytes": 1}, {"bytes": "2"}])") ==
        "'heaps[1].bytes' is no whole number from 0 on");
  CHECK(with(R"("heaps": [{"size": 1}])") ==
        "'heaps[0].size' is no key of a profile (keys that begin with x- are free)");
  CHECK(with(R"("queue_families": [{"compute": 1}])") ==
        "'queue_families[0].compute' is neither true nor false");
  CHECK(with(R"("kind": "fast")") ==
        "'kind' is 'fast', which is none of discrete, integrated, virtual, software, other");
  CHECK(with(R"("features": "shaderInt64")") == "'features' is no list");
  CHECK(with(R"("storage_offset_alignment": 24)") ==
        "'storage_offset_alignment' is no power of two");
  CHECK(with(R"("driver": "a", "driver": "b")") == "'driver' stands twice in one object");
  CHECK(refusal("{\n\"format\": 1,,}").starts_with("it is no JSON: at line 2, column 13"));
  CHECK(refusal("").starts_with("it is no JSON: at line 1, column 1"));
  CHECK(refusal(std::string(100'000, '[')).starts_with("it is no JSON"));
  CHECK(refusal("\"\xff\"").starts_with("it is no JSON"));
  CHECK(refusal("1e999") == "it is no JSON: number overflow parsing '1e999'");
}

TEST_CASE("a profile that is not there, or no file, is told by its name") {
  try {
    load_device_profile("no/such/profile.json");
    FAIL("it was read");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unreadable);
    CHECK(std::string(error.what()) ==
          "device profile 'no/such/profile.json' can't be read: there is no such file");
  }
  CHECK_THROWS_WITH_AS(load_device_profile("."),
                       "device profile '.' can't be read: it is no regular file", Error);
}

TEST_CASE("why a device can't be used, and the largest buffer of one that can") {
  auto profile = card();
  CHECK(profile::lack(profile).empty());
  CHECK(profile::largest_buffer(profile) == std::uint64_t{4} << 30U);
  profile.max_allocation = SIZE_MAX;
  CHECK(profile::largest_buffer(profile) == std::uint64_t{16} << 30U);
  profile.heaps.clear();
  CHECK(profile::largest_buffer(profile) == UINT64_MAX);
  profile.features.clear();
  CHECK(profile::lack(profile) ==
        "lacks the feature timelineSemaphore (a newer driver may have it)");
  profile.queue_families = {{1, false, true, false, 0}};
  CHECK(profile::lack(profile) == "has no queue for compute");
  profile.vulkan = "1.1.0";
  CHECK(profile::lack(profile) == "has Vulkan 1.1, needs 1.2 (a newer driver may have it)");
}
