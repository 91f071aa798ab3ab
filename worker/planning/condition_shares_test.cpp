#include "worker/planning/condition_shares.hpp"

#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "domain/records/record_type.hpp"

namespace waybill::worker {
namespace {

using domain::Conditions;
using domain::Verdict;

class ConditionSharesTest : public testing::Test {
 protected:
  Verdict judge(const Guid& business, const Conditions& conditions) {
    const json::object no_previous;
    return shares_.judge(business, conditions, {entity_, no_previous, false});
  }

  static Conditions parsed(const json::object& definition) {
    return std::get<Conditions>(
        Conditions::parse(definition, domain::record_type(domain::EntityType::order)));
  }

  /// Needs more work than a share, on a long text.
  static Conditions costly() {
    json::array searches;
    for (int i = 0; i < 40; ++i) searches.push_back(json::object{{"notes", {{"contains", "y"}}}});
    return parsed({{"any", std::move(searches)}});
  }

  ConditionShares shares_;
  json::object entity_{{"notes", std::string(1024UL * 1024, 'x')}};
};

TEST_F(ConditionSharesTest, EachBusinessHasAShare) {
  const Guid hostile = Guid::random();
  const Guid other = Guid::random();
  EXPECT_FALSE(shares_.is_exceeded(hostile));
  EXPECT_EQ(judge(hostile, costly()), Verdict::too_much_work);
  EXPECT_TRUE(shares_.is_exceeded(hostile));
  EXPECT_FALSE(shares_.is_exceeded(other));
  EXPECT_FALSE(shares_.is_over());
  EXPECT_EQ(judge(other, parsed({{"notes", {{"startsWith", "x"}}}})), Verdict::hold);
  EXPECT_FALSE(shares_.is_exceeded(other));
}

TEST_F(ConditionSharesTest, SharesOfManyBusinessesDoNotAddUp) {
  EXPECT_FALSE(shares_.is_over());
  judge(Guid::random(), costly());
  EXPECT_FALSE(shares_.is_over());
  judge(Guid::random(), costly());
  EXPECT_TRUE(shares_.is_over());
}

}  // namespace
}  // namespace waybill::worker
