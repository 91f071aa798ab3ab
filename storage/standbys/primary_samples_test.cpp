#include "storage/standbys/primary_samples.hpp"

#include <cstdint>
#include <initializer_list>

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

using std::chrono::milliseconds;

const PrimarySamples::SteadyTime start{std::chrono::hours(1)};

PrimarySamples samples_at(std::initializer_list<int> times_ms) {
  PrimarySamples samples;
  for (const int ms : times_ms) {
    samples.add({.cluster = 1,
                 .position = {.timeline = 1, .lsn = static_cast<std::uint64_t>(ms)},
                 .at = start + milliseconds(ms)});
  }
  return samples;
}

TEST(PrimarySamples, TheFloorIsTheOlderSampleWhileItIsAtMostHalfASecondOld) {
  const PrimarySamples samples = samples_at({0, 250});
  EXPECT_EQ(samples.floor(start + milliseconds(250)).position.lsn, 0);
  EXPECT_EQ(samples.floor(start + milliseconds(500)).position.lsn, 0);
  EXPECT_EQ(samples.floor(start + milliseconds(501)).position.lsn, 250);
}

TEST(PrimarySamples, OnlyTheLastTwoSamplesCount) {
  EXPECT_EQ(samples_at({0, 250, 400}).floor(start + milliseconds(400)).position.lsn, 250);
}

TEST(PrimarySamples, TheFirstSampleIsTheFloor) {
  EXPECT_EQ(samples_at({100}).floor(start + milliseconds(100)).position.lsn, 100);
}

TEST(PrimarySamples, SamplesOfAnotherClusterAreForgotten) {
  PrimarySamples samples = samples_at({0});
  samples.add({.cluster = 2, .position = {.timeline = 1, .lsn = 7}, .at = start + milliseconds(250)});
  EXPECT_EQ(samples.floor(start + milliseconds(250)).position.lsn, 7);
}

TEST(PrimarySamples, ASampleIsRecentUpToTheGivenAge) {
  EXPECT_FALSE(PrimarySamples().has_since(milliseconds(250), start));
  EXPECT_TRUE(samples_at({0}).has_since(milliseconds(250), start + milliseconds(250)));
  EXPECT_FALSE(samples_at({0}).has_since(milliseconds(250), start + milliseconds(251)));
}

}  // namespace
}  // namespace waybill::storage
