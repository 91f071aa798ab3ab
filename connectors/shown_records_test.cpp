#include "connectors/shown_records.hpp"

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "connectors/awaited_test.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {
namespace {

/// A list of which some places can be shown, counted from its newest record.
struct SampledList {
  std::size_t size = 100;
  std::set<std::size_t> shown = {};
  int samples = 0;

  bool requires_some(ShownRecords& records) {
    const auto shows = [this](ShownRecords::Sample sample) -> asio::awaitable<bool> {
      ++samples;
      co_return shown.contains(sample.is_newest_first ? sample.place : size - 1 - sample.place);
    };
    const auto ask = [](ShownRecords& of, const ShownRecords::Shows& from) -> asio::awaitable<bool> {
      co_await of.require_some(from);
      co_return true;
    };
    try {
      return await(ask(records, shows));
    } catch (const StoreError& error) {
      EXPECT_EQ(error.problem(), StoreProblem::busy);
      EXPECT_STREQ(error.what(), "It fails.");
      return false;
    }
  }
};

void fail(ShownRecords& records, int times) {
  for (int i = 0; i < times; ++i) records.note("It fails.");
}

TEST(ShownRecords, FiveFailuresInARowNeedNoSample) {
  ShownRecords records;
  SampledList list;
  for (int i = 0; i < 3; ++i) {
    fail(records, 5);
    EXPECT_TRUE(list.requires_some(records));
    records.note("");
  }
  EXPECT_EQ(list.samples, 0);
}

TEST(ShownRecords, OneOfTheThreeNewestOrTheOldestIsEnough) {
  for (const auto& [shown, samples] :
       {std::pair<std::size_t, int>{0, 1}, {1, 2}, {2, 3}, {99, 4}, {3, 0}, {98, 0}}) {
    ShownRecords records;
    SampledList list{.shown = {shown}};
    fail(records, 6);
    EXPECT_EQ(list.requires_some(records), samples > 0) << shown;
    EXPECT_EQ(list.samples, samples > 0 ? samples : 4) << shown;
  }
}

TEST(ShownRecords, AStoreThatShowsARecordIsReadPastAnyNumberOfOthers) {
  ShownRecords records;
  SampledList list{.shown = {0}};
  for (int i = 0; i < 600; ++i) {
    fail(records, 1);
    EXPECT_TRUE(list.requires_some(records));
  }
  EXPECT_EQ(list.samples, 100) << "one sample for six failures";
  list.shown.clear();
  fail(records, 6);
  EXPECT_FALSE(list.requires_some(records)) << "it may break down during a sweep";
}

TEST(ShownRecords, SamplesThatFailedAreNotAskedForAgainUntilARecordIsShown) {
  ShownRecords records;
  SampledList list;
  fail(records, 6);
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_FALSE(list.requires_some(records));
    fail(records, 1);
  }
  EXPECT_EQ(list.samples, 4);
  records.note("");
  EXPECT_TRUE(list.requires_some(records));
  fail(records, 6);
  EXPECT_FALSE(list.requires_some(records));
  EXPECT_EQ(list.samples, 8);
}

}  // namespace
}  // namespace waybill::connectors
