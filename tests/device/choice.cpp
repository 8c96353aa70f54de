// Which device is opened, what its clock means, how long to look: decisions that need no device.
#include "device/vulkan/choice.hpp"
#include "device/vulkan/device_clock.hpp"
#include "device/vulkan/poll.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace antiphon;
using namespace antiphon::device::vulkan;

namespace {

using Kind = DeviceProfile::Kind;

DeviceProfile usable(const std::string& name, Kind kind) {
  DeviceProfile profile;
  profile.name = name;
  profile.kind = kind;
  profile.queue_families = {{.queues = 1, .compute = true, .transfer = true}};
  profile.features = {"timelineSemaphore"};
  return profile;
}

}  // namespace

TEST_CASE("a discrete device is preferred to an integrated, a virtual and a software one") {
  const std::vector all{usable("soft", Kind::software), usable("guest", Kind::virtual_gpu),
                        usable("onboard", Kind::integrated), usable("card", Kind::discrete)};
  for (std::size_t there = 1; there <= all.size(); ++there) {
    const auto chosen = choose(std::span(all).first(there), "");
    REQUIRE(chosen);
    CHECK(*chosen == there - 1);
  }
}

TEST_CASE("of two devices of a kind the first is taken, unless the second is named") {
  const std::vector all{usable("Alpha 1", Kind::discrete), usable("Alpha 2", Kind::discrete)};
  CHECK(*choose(all, "") == 0);
  CHECK(*choose(all, "alpha") == 0);
  CHECK(*choose(all, "ALPHA 2") == 1);
}

TEST_CASE("a device that lacks something is passed over for one that can be used") {
  auto old = usable("old card", Kind::discrete);
  old.vulkan = "1.1.300";
  const std::vector all{old, usable("soft", Kind::software)};
  CHECK(*choose(all, "") == 1);
  const auto named = choose(all, "card");
  REQUIRE(!named);
  CHECK(named.failure().kind == ErrorKind::unsupported);
  CHECK(named.failure().message ==
        "no Vulkan device here can be used: 'old card' has Vulkan 1.1, needs 1.2 "
        "(a newer driver may have it)");
}

TEST_CASE("each thing that a device may lack is named") {
  auto mute = usable("mute", Kind::discrete);
  mute.queue_families[0].compute = false;
  auto timeless = usable("timeless", Kind::discrete);
  timeless.features.clear();
  const auto chosen = choose(std::vector{mute, timeless}, "");
  REQUIRE(!chosen);
  CHECK(chosen.failure().message.find("'mute' has no queue for compute") != std::string::npos);
  CHECK(chosen.failure().message.find("'timeless' lacks the feature timelineSemaphore") !=
        std::string::npos);
}

TEST_CASE("where there is no device, a driver is to be installed") {
  const auto chosen = choose({}, "");
  REQUIRE(!chosen);
  CHECK(chosen.failure().kind == ErrorKind::no_device);
  CHECK(chosen.failure().message.find("mesa-vulkan-drivers") != std::string::npos);
}

TEST_CASE("timestamps are counted from a reading of both clocks") {
  DeviceClock clock(2.5, 64);
  clock.set({1000, 4'000'000, 4'000'100});
  CHECK(clock.steady_ns(1000) == 4'000'050);
  CHECK(clock.steady_ns(1400) == 4'001'050);
  CHECK(clock.steady_ns(600) == 3'999'050);
  CHECK(!clock.is_host_clock());
}

TEST_CASE("a counter of few bits wraps, in both directions") {
  DeviceClock clock(1, 32);
  clock.set({0xffff'fff0, 5000, 5000});
  CHECK(clock.steady_ns(0x10) == 5032);
  clock.set({0x10, 5000, 5000});
  CHECK(clock.steady_ns(0xffff'fff0) == 4968);
}

TEST_CASE("a device that counts on the host's own clock is believed to the nanosecond") {
  DeviceClock clock(1, 64);
  clock.set({123'456'789, 123'456'000, 123'457'000});
  CHECK(clock.is_host_clock());
  CHECK(clock.steady_ns(5) == 5);
  clock.set({123'456'789, 200'000'000, 200'000'100});
  CHECK(!clock.is_host_clock());
  CHECK(clock.steady_ns(123'456'789) == 200'000'050);
}

TEST_CASE(
    "looking before sleeping gives way where it is in vain, and is tried again now and then") {
  Poll poll;
  CHECK(poll.next() == Poll::longest);
  std::chrono::nanoseconds spent{0};
  int looks = 0;
  for (int wait = 0; wait < 1024; ++wait) {
    const auto time = poll.next();
    if (time.count() == 0) continue;
    ++looks;
    spent += time;
    poll.was_in_vain(time);
  }
  CHECK(looks <= 20);
  CHECK(spent <= 8 * Poll::longest);
  CHECK(looks > 5);  // once at the start, and again since
  poll.was_worth_it();
  CHECK(poll.next() == Poll::longest);
}
