#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "storage/changes/record_change.hpp"
#include "storage/statement/statement_list.hpp"

namespace waybill::actions {
namespace {

TEST(Actions, ChangeRecordsIfStorageNamesThem) {
  for (const Action* action : all_actions()) {
    EXPECT_EQ(action->changes_records(), storage::changes_record(action->type())) << action->type();
  }
}

TEST(Actions, AreNamedByNoStatementOfTheQueue) {
  std::size_t checked = 0;
  for (const storage::Statement* const statement : storage::all_statements()) {
    if (!statement->name.starts_with("queue.")) continue;
    ++checked;
    for (const Action* const action : all_actions()) {
      const std::string named = "'" + std::string(action->type()) + "'";
      EXPECT_EQ(statement->text.find(named), std::string_view::npos) << statement->name << " has " << named;
    }
  }
  EXPECT_GT(checked, 20U);
}

TEST(Actions, WaitAtADestinationOfTheirBusinessIfTheyChangeRecords) {
  const Guid business = Guid::random();
  for (const Action* action : all_actions()) {
    if (action->changes_records())
      EXPECT_EQ(action->destination({}, business), "changes/" + business.to_string());
  }
}

TEST(Actions, HaveTheTypesOfDeclaredAnswersAsValues) {
  const Action* const webhook = find_action("webhook");
  ASSERT_NE(webhook, nullptr);
  const auto values = webhook->values({{"answer", {{"stock.count", "number"}, {"extra", "any"}}}});
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].path, "answer.stock.count");
  EXPECT_EQ(values[0].type, domain::FieldType::decimal);
  EXPECT_EQ(values[1].path, "answer.extra");
  EXPECT_TRUE(values[1].is_any);
}

TEST(Actions, AwaitEventsOfTheirRecordIfTheyMoveItsLabel) {
  for (const Action* action : all_actions()) {
    const std::string_view type = action->type();
    EXPECT_EQ(action->awaits_events(), type == "buy_label" || type == "void_label") << type;
  }
}

TEST(Actions, AreFoundByTheirTypes) {
  for (const Action* action : all_actions()) EXPECT_EQ(find_action(action->type()), action);
  EXPECT_EQ(find_action("teleport"), nullptr);
}

}  // namespace
}  // namespace waybill::actions
