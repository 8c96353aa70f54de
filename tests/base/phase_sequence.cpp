#include <antiphon/error.hpp>
#include <antiphon/phase_sequence.hpp>

#include <doctest/doctest.h>

#include <random>

using antiphon::PhaseSequence;

TEST_CASE("a constant sequence has the same value in every firing") {
  const PhaseSequence s{3};
  CHECK(s.is_constant(3));
  CHECK(s.phases() == 1);
  CHECK(s.at(1'000'000) == 3);
  CHECK(s.total(7) == 21);
  CHECK(s.least_reaching(7) == 3);
  CHECK(s.most_within(8) == 2);
}

TEST_CASE("a sequence that moves nothing never reaches an amount and never exceeds one") {
  const PhaseSequence s{0};
  CHECK(s.least_reaching(0) == 0);
  CHECK_FALSE(s.least_reaching(1).has_value());
  CHECK_FALSE(s.most_within(0).has_value());
}

TEST_CASE("totals of long sequences saturate instead of wrapping") {
  const PhaseSequence s{PhaseSequence::limit};
  CHECK(s.total(4) == INT64_MAX);
  CHECK(s.least_reaching(INT64_MAX) == 2);
}

TEST_CASE("what does not fit is refused") {
  CHECK_THROWS_AS(PhaseSequence(-1), antiphon::Error);
  CHECK_THROWS_AS(PhaseSequence({}, {}), antiphon::Error);
  CHECK_THROWS_AS(PhaseSequence({}, {{PhaseSequence::limit, 2}}), antiphon::Error);
  CHECK_THROWS_AS(PhaseSequence({}, {{2, PhaseSequence::limit}}), antiphon::Error);
  CHECK_NOTHROW(PhaseSequence({}, {{1'000'000'000, 1}}));
}

TEST_CASE("sums and their inverses agree with counting firing by firing") {
  std::mt19937 random{7};
  const auto draw = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  for (int round = 0; round < 300; ++round) {
    std::vector<antiphon::PhaseRun> initial;
    std::vector<antiphon::PhaseRun> periodic;
    for (int i = draw(3); i > 0; --i) initial.push_back({draw(3), draw(4)});
    for (int i = 1 + draw(3); i > 0; --i) periodic.push_back({1 + draw(3), draw(4)});
    std::vector<std::int64_t> values;
    for (const auto& run : initial)
      values.insert(values.end(), static_cast<std::size_t>(run.count), run.value);
    while (values.size() < 60) {
      for (const auto& run : periodic)
        values.insert(values.end(), static_cast<std::size_t>(run.count), run.value);
    }
    const PhaseSequence s{initial, periodic};
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < 60; ++n) {
      CAPTURE(n);
      REQUIRE(s.total(static_cast<std::int64_t>(n)) == sum);
      REQUIRE(s.at(static_cast<std::int64_t>(n)) == values[n]);
      sum += values[n];
    }
    for (std::int64_t amount = 0; amount < s.total(60); ++amount) {
      CAPTURE(amount);
      const auto least = s.least_reaching(amount);
      REQUIRE(least.has_value());
      REQUIRE(s.total(*least) >= amount);
      REQUIRE((*least == 0 || s.total(*least - 1) < amount));
      if (s.sum() > 0) {
        const auto most = s.most_within(amount);
        REQUIRE(most.has_value());
        REQUIRE(s.total(*most) <= amount);
        REQUIRE(s.total(*most + 1) > amount);
      }
    }
  }
}
