#include "worker/delivery/open_events.hpp"

#include <gmock/gmock.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using storage::RunStatus;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Time opened_at{};
constexpr Time lease_end = opened_at + 30s;
constexpr Task::Moment opened_from{};

storage::Run run(const std::string& action = "webhook") {
  storage::Run made;
  made.key.guid = Guid::random();
  made.key.action = action;
  return made;
}

TaskPtr task(const std::string& action = "webhook") { return std::make_shared<Task>(run(action)); }

storage::SettledEvent event(std::int16_t shard = 0) { return {.shard = shard, .key = {}, .runs = {}}; }

TEST(OpenEvents, AnEventIsSettledWhenItsLastRunIsOver) {
  OpenEvents events;
  const TaskPtr first = task(), second = task();
  const Guid first_run = first->run.key.guid, second_run = second->run.key.guid;
  events.add(event(), {first, second}, opened_from);
  EXPECT_FALSE(events.finish(second));
  const auto settled = events.finish(first);
  ASSERT_TRUE(settled);
  ASSERT_THAT(settled->runs, SizeIs(2));
  EXPECT_EQ(settled->runs[0].key.guid, second_run);
  EXPECT_EQ(settled->runs[1].key.guid, first_run);
  EXPECT_THAT(events.queue_all(opened_at, lease_end), IsEmpty());
}

TEST(OpenEvents, AnEventThatWaitsTooLongIsQueuedWithTheStateOfEachRun) {
  OpenEvents events;
  const TaskPtr over = task(), in_flight = task(), waiting = task();
  events.add(event(), {over, in_flight, waiting}, opened_from);
  over->run.state.status = RunStatus::succeeded;
  EXPECT_FALSE(events.finish(over));
  in_flight->place = Task::Place::in_flight;
  EXPECT_FALSE(events.oldest(opened_from, opened_from + 1us));

  const OpenEventPtr oldest = events.oldest(opened_from + 1us, opened_from);
  ASSERT_TRUE(oldest);
  const auto queued = events.queue(oldest, opened_at, lease_end);
  EXPECT_FALSE(events.oldest(Task::Moment::max(), Task::Moment::max()));
  ASSERT_THAT(queued.settled.runs, SizeIs(3));
  EXPECT_EQ(queued.settled.runs[0].state.status, RunStatus::succeeded);
  EXPECT_EQ(queued.settled.runs[1].state.status, RunStatus::running);
  EXPECT_EQ(queued.settled.runs[1].state.at, lease_end);
  EXPECT_EQ(queued.settled.runs[2].state.status, RunStatus::queued);
  EXPECT_EQ(queued.settled.runs[2].state.at, opened_at);
  EXPECT_THAT(queued.withdrawn, testing::ElementsAre(waiting));
  EXPECT_FALSE(in_flight->event) << "its attempt is recorded by itself";
  EXPECT_EQ(in_flight->run.key.guid, queued.settled.runs[1].key.guid);
}

TEST(OpenEvents, TheTimeOfAnEventBehindAnotherOneBeginsAnewWithItsTurn) {
  OpenEvents events;
  const OpenEventPtr behind = events.add(event(), {task()}, opened_from, RecordName(), true);
  EXPECT_FALSE(events.oldest(opened_from + 1s, opened_from));
  EXPECT_EQ(events.oldest(opened_from, opened_from + 1us), behind);
  events.begin(behind, opened_from + 2s);
  EXPECT_FALSE(events.oldest(opened_from + 2s, opened_from + 1s));
  EXPECT_EQ(events.oldest(opened_from + 3s, opened_from), behind);
  EXPECT_THAT(events.queue_all(opened_at, lease_end), SizeIs(1));  // otherwise event and task keep each other
}

TEST(OpenEvents, AnEventBehindAnotherOneIsQueuedAfterIt) {
  OpenEvents events;
  const auto behind = events.add(event(3), {task()}, opened_from, RecordName(), true);
  events.add(event(3), {task()}, opened_from + 1s, RecordName());
  const auto queued = events.queue_all(opened_at, lease_end);
  ASSERT_THAT(queued, SizeIs(2));
  EXPECT_TRUE(behind->open.empty());
  EXPECT_FALSE(queued[0].withdrawn[0] == queued[1].withdrawn[0]);
}

TEST(OpenEvents, ChangesOfRecordsStayInTheOrderOfTheWorkflows) {
  OpenEvents events;
  const TaskPtr made = task("update_status"), open = task("update_status");
  events.add(event(), {made, open}, opened_from);
  made->run.state.change = std::make_shared<storage::RecordChange>();
  EXPECT_FALSE(events.finish(made));
  const auto queued = events.queue_all(opened_at, lease_end);
  ASSERT_THAT(queued, SizeIs(1));
  EXPECT_FALSE(queued[0].settled.runs[0].state.change);
  EXPECT_EQ(queued[0].settled.runs[0].state.status, RunStatus::queued);
}

TEST(OpenEvents, AChangeIsMadeWithItsEventWhenOnlyDeliveriesAreOpen) {
  OpenEvents events;
  const TaskPtr made = task("update_status"), open = task("webhook");
  events.add(event(), {made, open}, opened_from);
  made->run.state.change = std::make_shared<storage::RecordChange>();
  EXPECT_FALSE(events.finish(made));
  EXPECT_TRUE(events.queue_all(opened_at, lease_end).at(0).settled.runs[0].state.change);
}

TEST(OpenEvents, OnlyTheEventsOfTheShardAreQueued) {
  OpenEvents events;
  const TaskPtr one = task(), two = task();
  events.add(event(1), {one}, opened_from);
  events.add(event(2), {two}, opened_from);
  const auto queued = events.queue_shards(std::vector<std::int16_t>{2}, opened_at, lease_end);
  ASSERT_THAT(queued, SizeIs(1));
  EXPECT_EQ(queued[0].settled.shard, 2);
  EXPECT_TRUE(events.finish(one));
}

}  // namespace
}  // namespace waybill::worker
