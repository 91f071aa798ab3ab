#include <algorithm>

#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "storage/changes/record_change.hpp"

namespace waybill::actions {
namespace {

TEST(Actions, ChangeRecordsIfStorageNamesThem) {
  for (const Action* action : all_actions()) {
    const bool is_named =
        std::ranges::find(storage::changing_actions, action->type()) != std::end(storage::changing_actions);
    EXPECT_EQ(action->changes_records(), is_named) << action->type();
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
