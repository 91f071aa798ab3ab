#include "connectors/page_size.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

// The answered and failed requests of 1000 pages from a store that can answer `most` records.
struct Count {
  std::size_t answered = 0, failed = 0, records = 0;
};
Count ask(std::size_t most) {
  PageSize size(100);
  Count count;
  while (count.answered < 1000) {
    if (size.value() > most) {
      ++count.failed;
      EXPECT_TRUE(size.shrink());
    } else {
      ++count.answered;
      count.records += size.value();
      size.grow();
    }
  }
  return count;
}

TEST(PageSize, AStoreThatAnswersIsAskedForWholePages) {
  const auto count = ask(100);
  EXPECT_EQ(count.failed, 0U);
  EXPECT_EQ(count.records, 100'000U);
}

TEST(PageSize, FindsTheSizeThatWorksAndSeldomTriesMore) {
  for (const std::size_t most : {1U, 2U, 3U, 7U, 25U, 40U, 99U}) {
    const auto count = ask(most);
    EXPECT_LE(count.failed, 30U) << most;
    EXPECT_GE(count.records, 1000 * std::max<std::size_t>(1, most / 4)) << most;
  }
}

TEST(PageSize, ShrinksToOneRecordInFewSteps) {
  PageSize size(100);
  int steps = 0;
  while (size.shrink()) ++steps;
  EXPECT_EQ(size.value(), 1U);
  EXPECT_EQ(steps, 3) << "25, 6, 1";
}

TEST(PageSize, GrowsToWholePagesAfterAFailureThatPassed) {
  PageSize size(100);
  while (size.shrink()) {
  }
  int pages = 0;
  for (; size.value() < 100; ++pages) size.grow();
  EXPECT_LE(pages, 7 * 16);
  while (size.shrink()) {
  }
  size.trust();
  for (pages = 0; size.value() < 100; ++pages) size.grow();
  EXPECT_EQ(pages, 7);
}

TEST(PageSize, NeverExceedsItsLimit) {
  PageSize size(100);
  size.limit(30);
  EXPECT_EQ(size.value(), 30U);
  for (int i = 0; i < 10; ++i) size.grow();
  EXPECT_EQ(size.value(), 30U);
  size.limit(0);
  EXPECT_EQ(size.value(), 1U);
}

}  // namespace
}  // namespace waybill::connectors
