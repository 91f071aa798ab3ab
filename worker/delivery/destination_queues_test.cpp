#include "worker/delivery/destination_queues.hpp"

#include <gmock/gmock.h>

#include "worker/delivery/open_events.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsNull;
using testing::UnorderedElementsAre;

constexpr Time queued_at{};
constexpr Task::Moment first_turn{};

TaskPtr task(const Guid& business, const std::string& destination = "",
             const Guid& workflow = Guid::random()) {
  storage::Run run;
  run.key.business_id = business;
  run.key.workflow_id = workflow;
  run.key.destination = destination;
  run.key.action = "webhook";
  auto made = std::make_shared<Task>(std::move(run));
  made->since = first_turn;
  return made;
}

class DestinationQueuesTest : public testing::Test {
 protected:
  /// Adds a number of tasks.
  std::vector<TaskPtr> add(std::size_t count, const Guid& business, const std::string& destination = "") {
    std::vector<TaskPtr> tasks;
    for (std::size_t i = 0; i < count; ++i) queues.add(tasks.emplace_back(task(business, destination)));
    return tasks;
  }
  /// Starts what may start.
  std::vector<TaskPtr> start_all(Time at = queued_at) {
    std::vector<TaskPtr> started;
    while (TaskPtr next = queues.next(at)) started.push_back(std::move(next));
    return started;
  }

  // One attempt at a destination at a time; a failure opens its breaker for a second.
  DestinationQueues queues{{.places = 16, .breaker = {.max_in_flight = 1, .open_after = 1}}};
  const Guid first = Guid::random(), second = Guid::random();
};

TEST_F(DestinationQueuesTest, BusinessesTakeTurns) {
  const auto many = add(3, first);
  const auto one = add(1, second);
  EXPECT_THAT(start_all(), ElementsAre(many[0], one[0], many[1], many[2]));
}

TEST_F(DestinationQueuesTest, ABusinessLeavesAQuarterOfThePlacesToOthers) {
  const auto many = add(20, first);
  EXPECT_EQ(start_all().size(), 12U);
  EXPECT_THAT(queues.blocked_businesses(), ElementsAre(first));
  const auto one = add(1, second);
  EXPECT_THAT(start_all(), ElementsAre(one[0]));

  queues.ended(*many[0], false, queued_at);
  queues.ended(*one[0], false, queued_at);
  EXPECT_THAT(start_all(), ElementsAre(many[12]));
}

TEST_F(DestinationQueuesTest, ThePlacesThatComeBackGoToBusinessesWithFewFirst) {
  const auto many = add(30, first);
  start_all();
  const auto few = add(30, second);
  const auto started = start_all();
  ASSERT_LT(started.size(), few.size());
  queues.ended(*many[0], false, queued_at);
  queues.ended(*many[1], false, queued_at);
  for (const TaskPtr& next : start_all()) EXPECT_EQ(next->business(), second);
}

TEST_F(DestinationQueuesTest, ADestinationThatIsFullHoldsUpNoOther) {
  const auto full = add(3, first, "full");
  const auto other = add(1, first, "other");
  EXPECT_THAT(start_all(), ElementsAre(full[0], other[0]));
  EXPECT_THAT(queues.blocked_destinations(queued_at), ElementsAre("full"));
  queues.ended(*full[0], false, queued_at);
  EXPECT_THAT(start_all(), ElementsAre(full[1]));
}

TEST_F(DestinationQueuesTest, BlockedAndArrivedTasksOfABusinessAlternate) {
  const auto blocked = add(3, first, "full");
  start_all();
  const auto arrived = add(2, first);
  queues.ended(*blocked[0], false, queued_at);
  EXPECT_EQ(queues.next(queued_at), blocked[1]);
  queues.ended(*blocked[1], false, queued_at);
  EXPECT_EQ(queues.next(queued_at), arrived[0]);
  EXPECT_EQ(queues.next(queued_at), blocked[2]);
  EXPECT_EQ(queues.next(queued_at), arrived[1]);
}

TEST_F(DestinationQueuesTest, TheBlockedDestinationsOfABusinessTakeTurns) {
  const auto a = add(3, first, "a"), b = add(3, first, "b");
  EXPECT_THAT(start_all(), ElementsAre(a[0], b[0]));
  queues.ended(*a[0], false, queued_at);
  queues.ended(*b[0], false, queued_at);
  EXPECT_THAT(start_all(), ElementsAre(a[1], b[1]));
}

TEST_F(DestinationQueuesTest, NothingStartsAtABrokenDestinationBeforeItsProbe) {
  const auto tasks = add(2, first, "broken");
  start_all();
  queues.ended(*tasks[0], true, queued_at);
  EXPECT_THAT(start_all(), testing::IsEmpty());
  EXPECT_THAT(queues.blocked_destinations(queued_at), ElementsAre("broken"));

  const auto overdue = queues.take_blocked(first_turn, queued_at, queued_at + 10s);
  ASSERT_EQ(overdue.size(), 1U);
  EXPECT_EQ(overdue[0].task, tasks[1]);
  EXPECT_EQ(overdue[0].due, queued_at + 1s);
  EXPECT_THAT(queues.blocked_destinations(queued_at), ElementsAre("broken"));
  EXPECT_THAT(queues.blocked_destinations(queued_at + 1s), testing::IsEmpty());
}

TEST_F(DestinationQueuesTest, TasksStayBlockedWhileADestinationIsProbed) {
  const Time probe = queued_at + 1s;
  add(1, first, "broken");
  queues.ended(*start_all()[0], true, queued_at);
  const auto tasks = add(2, first, "broken");
  EXPECT_THAT(start_all(probe), ElementsAre(tasks[0]));
  EXPECT_THAT(queues.take_blocked(first_turn, probe, probe), testing::IsEmpty());
  queues.ended(*tasks[0], false, probe);
  EXPECT_THAT(start_all(probe), ElementsAre(tasks[1]));
}

TEST_F(DestinationQueuesTest, AnAttemptThatSaysNothingAboutItsDestinationBreaksNothing) {
  const auto tasks = add(2, first, "restarting");
  start_all();
  queues.released(*tasks[0], queued_at);
  EXPECT_THAT(start_all(), ElementsAre(tasks[1]));
}

TEST_F(DestinationQueuesTest, ATaskBlockedForTooLongIsDueLater) {
  const auto tasks = add(2, first, "full");
  start_all();
  EXPECT_THAT(queues.take_blocked(first_turn, queued_at, queued_at + 10s), testing::IsEmpty());
  const auto overdue = queues.take_blocked(first_turn + 1us, queued_at, queued_at + 10s);
  ASSERT_EQ(overdue.size(), 1U);
  EXPECT_EQ(overdue[0].due, queued_at + 10s);
  EXPECT_THAT(queues.blocked_destinations(queued_at), testing::IsEmpty());
  queues.ended(*tasks[0], false, queued_at);
  EXPECT_THAT(queues.next(queued_at), IsNull());
}

TEST_F(DestinationQueuesTest, OnlyClaimedTasksAreTakenOutAfterTheirPatience) {
  DestinationQueues full{{.places = 0}};
  const TaskPtr claimed = task(first), matched = task(first), gone = task(first);
  matched->event = std::make_shared<OpenEvent>();
  for (const TaskPtr& each : {claimed, matched, gone}) full.add(each);
  gone->place = Task::Place::gone;
  EXPECT_THAT(full.take_arrived(first_turn + 1s, 1s), testing::IsEmpty());
  EXPECT_THAT(full.take_arrived(first_turn + 2s, 1s), ElementsAre(claimed));
  EXPECT_THAT(full.take_all(), ElementsAre(matched));
}

TEST_F(DestinationQueuesTest, GoneTasksDoNotStart) {
  const auto tasks = add(3, first, "full");
  start_all();
  tasks[1]->place = Task::Place::gone;
  queues.ended(*tasks[0], false, queued_at);
  EXPECT_THAT(start_all(), ElementsAre(tasks[2]));
}

TEST_F(DestinationQueuesTest, NothingIsLeftAfterAllIsTaken) {
  const auto blocked = add(2, first, "full");
  start_all();
  const auto arrived = add(20, second);
  const auto started = start_all();
  EXPECT_EQ(queues.take_all().size(), blocked.size() + arrived.size() - 1 - started.size());
  queues.ended(*blocked[0], false, queued_at);
  EXPECT_THAT(queues.next(queued_at), IsNull());
}

}  // namespace
}  // namespace waybill::worker
