#include "storage/pq/read_turns.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::storage::pq {
namespace {

constexpr Guid loud{{1}};
constexpr Guid quiet{{2}};

TEST(ReadTurns, BusinessesTakeTurnsAndTheReadsOfEachKeepTheirOrder) {
  std::array reads{0, 1, 2, 3, 4};
  ReadTurns<int> turns;
  for (int i = 0; i < 4; ++i) turns.add(loud, reads[i]);
  turns.add(quiet, reads[4]);
  std::vector<int> order;
  while (!turns.empty()) order.push_back(turns.take());
  EXPECT_EQ(order, (std::vector{0, 4, 1, 2, 3}));
}

TEST(ReadTurns, ABusinessThatComesBackWaitsForTheOthers) {
  std::array reads{0, 1, 2};
  ReadTurns<int> turns;
  turns.add(loud, reads[0]);
  turns.add(quiet, reads[1]);
  EXPECT_EQ(turns.take(), 0);
  turns.add(loud, reads[2]);
  EXPECT_EQ(turns.take(), 1);
  EXPECT_EQ(turns.take(), 2);
  EXPECT_TRUE(turns.empty());
}

}  // namespace
}  // namespace waybill::storage::pq
