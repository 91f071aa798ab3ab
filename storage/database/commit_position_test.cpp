#include "storage/database/commit_position.hpp"

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

TEST(CommitPositions, AreReadAsPostgresqlWritesThem) {
  const auto position = CommitPosition::from_sql("0000000A", "16/B374D848");
  ASSERT_TRUE(position);
  EXPECT_EQ(position->timeline, 10U);
  EXPECT_EQ(position->lsn, 0x16'B374D848U);
  for (const auto* const lsn : {"", "16", "16/", "/B3", "16/B3 ", "16-B3", "100000000/0"})
    EXPECT_FALSE(CommitPosition::from_sql("1", lsn)) << lsn;
  EXPECT_FALSE(CommitPosition::from_sql("", "1/1"));
}

TEST(CommitPositions, AreReadBackFromTheirText) {
  for (const CommitPosition position :
       {CommitPosition{1, 0}, {2, 0x16'B374D848U}, {0xFFFFFFFFU, 0xFFFFFFFF'FFFFFFFFU}}) {
    EXPECT_EQ(CommitPosition::parse(position.to_string()), position) << position.to_string();
  }
}

TEST(CommitPositions, OtherTextsAreRefused) {
  for (const auto* const text : {"", "-", "1", "1-", "-1", "0-1", "1-x", "1-1 ", " 1-1", "1-1-1", "0x1-1",
                                 "1--1", "100000000-1", "1-10000000000000000", "+1-1"})
    EXPECT_FALSE(CommitPosition::parse(text)) << text;
}

TEST(CommitPositions, ALaterTimelineIsGreater) {
  EXPECT_LT((CommitPosition{1, 95}), (CommitPosition{2, 80}));
  EXPECT_LT((CommitPosition{1, 80}), (CommitPosition{1, 95}));
  EXPECT_LT(CommitPosition(), (CommitPosition{1, 0}));
}

}  // namespace
}  // namespace waybill::storage
