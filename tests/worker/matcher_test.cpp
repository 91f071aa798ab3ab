#include "worker/events/matcher.hpp"

#include <random>

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

// Random switches between the events. The reference is the state at each event.
TEST_F(MatcherTest, AWorkflowFiresForTheEventsAtWhichItWasOnHoweverItWasSwitchedSince) {
  const Guid workflow = add_workflow("order_created");
  std::mt19937 random(11);  // NOLINT(bugprone-random-generator-seed): a fixed sequence
  bool is_on = true;
  std::vector<bool> expected;
  const auto fired = [&] {
    std::vector<bool> result;
    storage::read_changed_workflows(session_, 0, [&](const auto& portion) { catalogue_.apply(portion); });
    for (const storage::PendingEvent& event : pending_events(session_)) {
      const auto matched =
          matcher_.match(session_, {&event, 1}, {}, {.has_memory = [](const Guid&) { return true; }});
      result.push_back(!matched.at(0).runs.empty());
    }
    return result;
  };
  for (int step = 0; step < 80; ++step) {
    if (random() % 3 == 0) {
      database_.rows(
          "update workflows set is_active = not is_active, active_since = case when is_active then "
          "active_since "
          "else now() end where guid = $1",
          {workflow.to_string()});
      is_on = !is_on;
    } else if (random() % 4 == 0) {
      database_.rows("update workflows set is_active = is_active, version = version + 1 where guid = $1",
                     {workflow.to_string()});
    } else {
      add_order(std::to_string(step));
      expected.push_back(is_on);
    }
    if (step % 20 == 19) EXPECT_EQ(fired(), expected) << step << ' ' << is_on;
  }
}

TEST_F(MatcherTest, AnEventIsPostponedForAnUnreadableWorkflowThatWasOnAtItsTime) {
  const Guid workflow = add_workflow("order_created", "{}", "an_action_of_a_later_version");
  const auto turn = [&](bool on) {
    database_.rows("update workflows set is_active = $2, active_since = now() where guid = $1",
                   {workflow.to_string(), on ? "true" : "false"});
  };
  add_order("on");
  turn(false);
  add_order("off");
  turn(true);
  const auto matched = match();
  ASSERT_THAT(matched, SizeIs(2));
  EXPECT_THAT(matched[0].postponed, SizeIs(1));
  EXPECT_THAT(matched[1].postponed, IsEmpty());
}

// The runs of older events are in the queue.
TEST_F(MatcherTest, AnEventMayCancelRunsOfAWorkflowThatWasOnAtTheOldestUnrecordedEvent) {
  const Guid workflow = add_workflow("5:order_created");
  database_.rows("update workflows set cancel_on = $2, is_active = false where guid = $1",
                 {workflow.to_string(), R"({"triggers": ["order_updated"]})"});
  database_.exec(
      "insert into workflow_versions (business_id, workflow_id, version, definition) select business_id, "
      "guid, "
      "version, jsonb_build_object('trigger', trigger_code) from workflows where cancel_on is not null");
  database_.exec(
      "update workflow_switches set at = now() - case when is_active then 2 else 1 end * interval '1 hour'");
  const std::string order = add_order();
  storage::read_changed_workflows(session_, 0, [&](const auto& portion) { catalogue_.apply(portion); });
  ASSERT_TRUE(catalogue_.may_be_watched(business_));
  database_.rows("update orders set notes = 'a' where guid = $1", {order});
  const auto ends = [&](Time unrecorded_since) {
    std::size_t count = 0;
    for (const MatchedEvent& event : matcher_.match(
             session_, pending_events(session_), {},
             {.has_memory = [](const Guid&) { return true; }, .unrecorded_since = unrecorded_since}))
      count += event.watch_ends.size();
    return count;
  };
  const Time now = system_clock().now();
  EXPECT_EQ(ends(now - std::chrono::minutes(90)), 1U);
  EXPECT_EQ(ends(now - std::chrono::minutes(30)), 0U);
  EXPECT_EQ(ends(Time::max()), 0U) << "the events of the batch are newer than the switch";
}

TEST_F(MatcherTest, AWorkflowThatAWrongClockHasSwitchedOffInTheFutureIsOff) {
  const Guid workflow = add_workflow("order_created");
  database_.rows("update workflows set is_active = false where guid = $1", {workflow.to_string()});
  database_.exec("update workflow_switches set at = now() + interval '1 day' where not is_active");
  add_order();
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
