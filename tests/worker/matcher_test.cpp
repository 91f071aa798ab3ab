#include "worker/events/matcher.hpp"

#include <gmock/gmock.h>

#include "storage/settings/workflow_reader.hpp"
#include "tests/worker/worker_database.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using worker::MatchedEvent;
using worker::Matcher;

class MatcherTest : public WorkerDatabase {
 protected:
  /// Matches all events of the outbox with the workflows as they are now.
  std::vector<MatchedEvent> match(bool has_memory = true) {
    storage::read_changed_workflows(session_, 0, [&](const auto& portion) { catalogue_.apply(portion); });
    return matcher_.match(session_, pending_events(session_), {},
                          {.has_memory = [=](const Guid&) { return has_memory; }});
  }

  worker::Catalogue catalogue_{secrets_};
  storage::Session session_{database_.url(), "test"};
  Matcher matcher_{catalogue_, system_clock(), ""};
};

TEST_F(MatcherTest, AnEventWithoutAWorkflowCausesNoRun) {
  add_order();
  const auto matched = match();
  ASSERT_THAT(matched, SizeIs(1));
  EXPECT_THAT(matched[0].runs, IsEmpty());
}

TEST_F(MatcherTest, TheSameEventAndWorkflowGiveTheSameRun) {
  const Guid workflow = add_workflow("order_created");
  add_order();
  const auto first = match(), second = match();
  ASSERT_THAT(first.at(0).runs, SizeIs(1));
  EXPECT_EQ(first[0].runs[0].run.key.workflow_id, workflow);
  EXPECT_EQ(first[0].runs[0].run.key.guid, second.at(0).runs.at(0).run.key.guid);
}

TEST_F(MatcherTest, AWorkflowWhoseConditionsDoNotHoldCausesNoRun) {
  add_workflow("order_created", R"({"orderNumber": "B-1"})");
  add_order("A-1");
  add_order("B-1");
  const auto matched = match();
  ASSERT_THAT(matched, SizeIs(2));
  EXPECT_THAT(matched[0].runs, IsEmpty());
  EXPECT_THAT(matched[1].runs, SizeIs(1));
}

TEST_F(MatcherTest, AnEventIsOlderThanAWorkflowThatWasMadeAfterIt) {
  add_order();
  add_workflow("order_created");
  EXPECT_THAT(match().at(0).runs, IsEmpty());
}

TEST_F(MatcherTest, EventsKeepTheirOrder) {
  add_workflow("order_created");
  for (const char* const number : {"1", "2", "3"}) add_order(number);
  std::vector<std::uint64_t> ids;
  for (const MatchedEvent& event : match()) ids.push_back(event.key.id);
  EXPECT_THAT(ids, SizeIs(3));
  EXPECT_TRUE(std::ranges::is_sorted(ids));
}

TEST_F(MatcherTest, RunsOfABusinessWithoutMemoryHaveNoTexts) {
  add_workflow("order_created");
  add_order();
  const auto matched = match(false);
  ASSERT_THAT(matched.at(0).runs, SizeIs(1));
  EXPECT_TRUE(storage::is_deferred(matched[0].runs[0].run.key));
}

TEST_F(MatcherTest, AnEventIsPostponedForAWorkflowOfALaterVersion) {
  const Guid workflow = add_workflow("order_created", "{}", "an_action_of_a_later_version");
  add_order();
  const auto matched = match();
  EXPECT_THAT(matched.at(0).runs, IsEmpty());
  ASSERT_THAT(matched[0].postponed, SizeIs(1));
  EXPECT_EQ(matched[0].postponed[0].workflow_id, workflow);
}

TEST_F(MatcherTest, ReadsTheColumnsAgainAfterAMigration) {
  add_workflow("order_created");
  add_order("A-1");
  EXPECT_THAT(match(), SizeIs(1));
  database_.exec("alter table orders add column of_a_later_version text");
  add_order("A-2");
  std::vector<MatchedEvent> matched;
  try {
    matched = match();
  } catch (const storage::ColumnsChanged&) {
    matched = match();
  }
  EXPECT_THAT(matched, SizeIs(2));
}

}  // namespace
}  // namespace waybill::tests
