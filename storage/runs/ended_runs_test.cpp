#include "storage/runs/ended_runs.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

class EndedRunsTest : public testing::Test {
 protected:
  std::optional<std::uint64_t> latest(const Guid& record) { return ended_.latest(workflow_, record); }
  void add(const Guid& record, std::uint64_t event) { ended_.add(workflow_, record, event); }

  const Guid workflow_ = Guid::random();
  const Guid first_ = Guid::random(), second_ = Guid::random(), third_ = Guid::random(),
             fourth_ = Guid::random();
  EndedRuns ended_{2};
};

TEST_F(EndedRunsTest, KnowsTheLatestEventOfAWorkflowAndRecord) {
  add(first_, 7);
  add(first_, 5);
  EXPECT_EQ(latest(first_), 7U);
  EXPECT_EQ(latest(second_), std::nullopt);
  EXPECT_EQ(ended_.latest(Guid::random(), first_), std::nullopt);
}

TEST_F(EndedRunsTest, RemembersThePairsUsedLast) {
  add(first_, 1);
  add(second_, 2);
  add(third_, 3);
  EXPECT_EQ(latest(first_), 1U);
  add(fourth_, 4);
  EXPECT_EQ(latest(first_), 1U);
  EXPECT_EQ(latest(second_), std::nullopt);
}

TEST_F(EndedRunsTest, ForgetsAPairAfterTwiceTheLimitOfOthers) {
  add(first_, 1);
  for (std::uint64_t event = 2; event <= 5; ++event) add(Guid::random(), event);
  EXPECT_EQ(latest(first_), std::nullopt);
}

TEST_F(EndedRunsTest, CanForgetAllPairs) {
  add(first_, 1);
  add(second_, 2);
  add(third_, 3);
  ended_.clear();
  EXPECT_EQ(latest(first_), std::nullopt);
  EXPECT_EQ(latest(third_), std::nullopt);
}

}  // namespace
}  // namespace waybill::storage
