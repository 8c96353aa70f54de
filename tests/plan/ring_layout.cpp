#include "plan/ring_layout.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace antiphon;
using plan::lay_out;
using plan::NoLayout;
using plan::RingEnd;
using plan::RingLayout;

namespace {

// What a layout promises, checked firing by firing over three turns of the ring.
void check_windows(const RingLayout& layout, const std::vector<RingEnd>& ends, std::size_t size,
                   std::size_t device_alignment) {
  for (const auto& end : ends) {
    auto slot = layout.slot_of(end.first);
    auto position = end.first;
    const auto turns = 3 * layout.slots + end.rate->initial_sum();
    for (std::int64_t n = 0, moved = 0; moved < turns && n < 3 * turns + 3; ++n) {
      const auto messages = end.rate->at(n);
      if (messages > 0) {
        const auto first = slot;
        REQUIRE(first == layout.slot_of(position));
        REQUIRE(first + messages <= layout.slots);
        REQUIRE(layout.offset(first + messages - 1) - layout.offset(first) ==
                static_cast<std::size_t>(messages - 1) * (messages == 1 ? 0 : size));
        REQUIRE(layout.offset(first + messages - 1) + size <= layout.bytes);
        if (end.on_device) REQUIRE(layout.offset(first) % device_alignment == 0);
      }
      slot = layout.after(slot, messages);
      position += messages;
      moved += messages;
    }
  }
}

}  // namespace

TEST_CASE(
    "single messages are padded to the device's alignment, and the ring is not longer than asked") {
  const PhaseSequence one{1};
  const std::vector<RingEnd> ends{{&one, 0, false}, {&one, 0, true}};
  const auto layout = lay_out({ends, 4, 4, 64, 4});
  REQUIRE(layout);
  CHECK(layout->slots == 4);
  CHECK(layout->stride == 64);
  CHECK(layout->bytes == 256);
}

TEST_CASE("spans see messages densely, and no window wraps") {
  const PhaseSequence two{2};
  const PhaseSequence three{3};
  const std::vector<RingEnd> ends{{&two, 0, false}, {&three, 0, false}};
  const auto layout = lay_out({ends, 4, 4, 64, 4});
  REQUIRE(layout);
  CHECK(layout->slots == 6);
  check_windows(*layout, ends, 4, 64);
}

TEST_CASE("initial messages shift the writer's windows, and the ring is turned to meet both ends") {
  const PhaseSequence two{2};
  const PhaseSequence one{1};
  const std::vector<RingEnd> ends{{&two, 1, false}, {&one, 0, false}};
  const auto layout = lay_out({ends, 4, 4, 1, 3});
  REQUIRE(layout);
  CHECK(layout->shift == 1);
  check_windows(*layout, ends, 4, 1);
}

TEST_CASE("rates 2 and 2 with one initial message have no layout") {
  const PhaseSequence two{2};
  CHECK_FALSE(lay_out({std::vector<RingEnd>{{&two, 1, false}, {&two, 0, false}}, 4, 4, 1, 6}));
}

TEST_CASE(
    "a device window of several small messages begins aligned, and the other end fits into it") {
  const PhaseSequence four{4};
  const PhaseSequence two{2};
  const std::vector<RingEnd> ends{{&two, 0, false}, {&four, 0, true}};
  const auto layout = lay_out({ends, 4, 4, 64, 8});
  REQUIRE(layout);
  check_windows(*layout, ends, 4, 64);
  // The other way round a window of four would span the padding between windows of two.
  const std::vector<RingEnd> crossed{{&four, 0, false}, {&two, 0, true}};
  CHECK_FALSE(lay_out({crossed, 4, 4, 64, 8}));
}

TEST_CASE("one end beside ends of rate 1 always has a layout") {
  std::mt19937 random{11};
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const PhaseSequence one{1};
  for (int round = 0; round < 500; ++round) {
    std::vector<PhaseRun> initial;
    std::vector<PhaseRun> periodic{{1, draw(1, 5)}};
    const bool device = draw(0, 1) == 1;
    if (!device) {
      for (auto i = draw(0, 2); i > 0; --i) initial.push_back({draw(1, 2), draw(0, 4)});
    }
    for (auto i = draw(0, 3); i > 0; --i) periodic.push_back({draw(1, 2), draw(0, 4)});
    const PhaseSequence rate(initial, periodic);
    const bool writes = draw(0, 1) == 1;
    const auto start = draw(0, 7);
    const std::vector<RingEnd> ends{{writes ? &rate : &one, start, writes && device},
                                    {writes ? &one : &rate, 0, !writes && device}};
    const auto size = static_cast<std::size_t>(draw(1, 24));
    const auto layout = lay_out({ends, size, 1, 16, start + draw(1, 20)});
    REQUIRE(layout);
    check_windows(*layout, ends, size, 16);
  }
}

TEST_CASE("what is laid out is right, whatever the ends") {
  std::mt19937 random{13};
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<PhaseSequence> rates;
    for (auto i = draw(2, 3); i > 0; --i) {
      std::vector<PhaseRun> periodic{{1, draw(1, 4)}};
      for (auto j = draw(0, 2); j > 0; --j) periodic.push_back({draw(1, 2), draw(0, 3)});
      rates.emplace_back(std::vector<PhaseRun>{}, periodic);
    }
    std::vector<RingEnd> ends;
    const auto start = draw(0, 4);
    for (const auto& rate : rates)
      ends.push_back({&rate, ends.empty() ? start : 0, draw(0, 1) == 1});
    const auto size = static_cast<std::size_t>(4 * draw(1, 4));
    if (const auto layout = lay_out({ends, size, 4, 16, start + draw(1, 20)})) {
      ++found;
      check_windows(*layout, ends, size, 16);
    }
  }
  CHECK(found > 200);
}

TEST_CASE("what has no layout says why, and says so soon") {
  NoLayout why;
  const PhaseSequence one{1};
  const PhaseSequence two{2};
  // Neither end's initial windows fit any turn of the ring, and there are a million of them.
  const PhaseSequence long_start({{1'000'000, 2}}, {{1, 2}});
  CHECK_FALSE(
      lay_out({std::vector<RingEnd>{{&long_start, 1, false}, {&two, 0, false}}, 4, 4, 1, 6}, &why));
  CHECK(why.copy_helps);
  // A thousand million firings that move nothing before each that does.
  const PhaseSequence rare({}, {{1'000'000'000, 0}, {1, 1}});
  CHECK_FALSE(
      lay_out({std::vector<RingEnd>{{&rare, 0, true}, {&one, 0, false}}, 4, 4, 64, 4}, &why));
  CHECK_FALSE(why.copy_helps);
  CHECK(why.reason == "its windows on the device recur only after more than 4194304 firings");
  const PhaseSequence frame{6'220'800};
  CHECK(
      lay_out({std::vector<RingEnd>{{&frame, 0, false}, {&frame, 0, false}}, 1, 1, 1, 12'441'600}));
  CHECK_FALSE(
      lay_out({std::vector<RingEnd>{{&frame, 0, true}, {&frame, 0, false}}, 1, 1, 64, 1}, &why));
  CHECK_FALSE(why.copy_helps);
}

TEST_CASE("windows of no messages have a place of their own on the device") {
  const PhaseSequence gaps{1, 0, 2};
  const PhaseSequence one{1};
  const auto layout =
      lay_out({std::vector<RingEnd>{{&gaps, 0, true}, {&one, 0, false}}, 4, 4, 64, 6});
  REQUIRE(layout);
  CHECK(layout->spare % 64 == 0);
  for (std::int64_t slot = 0; slot < layout->slots; ++slot) {
    CHECK(layout->offset(slot) + 4 <= layout->spare);
  }
  CHECK(layout->spare + 4 <= layout->bytes);
}

TEST_CASE("initial phases whose windows later ones cross have slots of their own on the device") {
  const PhaseSequence one{1};
  const std::vector<PhaseSequence> rates{
      PhaseSequence({{1, 1}}, {{1, 2}}), PhaseSequence({{1, 3}, {1, 1}}, {{1, 2}, {1, 3}}),
      PhaseSequence({{2, 5}, {1, 0}}, {{1, 4}, {1, 1}}), PhaseSequence({{1, 0}}, {{1, 7}})};
  int with_prologue = 0;
  for (const auto& rate : rates) {
    for (std::int64_t first = 0; first < 4; ++first) {
      for (const std::int64_t capacity : {7, 20}) {
        const std::vector<RingEnd> ends{{&rate, first, true}, {&one, 0, false}};
        const auto layout = lay_out({ends, 4, 4, 64, capacity});
        REQUIRE(layout);
        CHECK(layout->recurring() >= capacity);
        check_windows(*layout, ends, 4, 64);
        with_prologue += layout->prologue > 0 ? 1 : 0;
        if (layout->prologue > 0) CHECK(layout->prologue == first + rate.initial_sum());
        // No two slots overlap, the one for empty windows neither.
        for (std::int64_t slot = 1; slot < layout->slots; ++slot) {
          REQUIRE(layout->offset(slot) >= layout->offset(slot - 1) + 4);
        }
      }
    }
  }
  CHECK(with_prologue > 10);
  // Another end on the device needs each message apart: a copy between them gives each its ring.
  NoLayout why;
  CHECK_FALSE(
      lay_out({std::vector<RingEnd>{{&rates[0], 0, true}, {&one, 0, true}}, 4, 4, 64, 4}, &why));
  CHECK(why.copy_helps);
}
