#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "storage/changes/record_change.hpp"

namespace waybill::actions {
namespace {

TEST(Actions, ChangeRecordsIfStorageNamesThem) {
  for (const Action* action : all_actions()) {
    EXPECT_EQ(action->changes_records(), storage::changes_record(action->type())) << action->type();
  }
}

TEST(Actions, WaitAtADestinationOfTheirBusinessIfTheyChangeRecords) {
  const Guid business = Guid::random();
  for (const Action* action : all_actions()) {
    if (action->changes_records())
      EXPECT_EQ(action->destination({}, business), "changes/" + business.to_string());
  }
}

TEST(Actions, AreFoundByTheirTypes) {
  for (const Action* action : all_actions()) EXPECT_EQ(find_action(action->type()), action);
  EXPECT_EQ(find_action("teleport"), nullptr);
}

}  // namespace
}  // namespace waybill::actions
