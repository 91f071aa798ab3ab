#include "worker/outcomes/outcome_queue.hpp"

#include <gmock/gmock.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using storage::RunStatus;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Time start{};

storage::Run run(RunStatus status, Time at = start) {
  storage::Run made;
  made.key.guid = Guid::random();
  made.state.status = status;
  made.state.at = at;
  return made;
}

storage::SettledEvent event(std::vector<storage::Run> runs = {}) {
  return {.shard = 0, .key = {}, .runs = std::move(runs)};
}

storage::QueuedOutcome outcome(RunStatus status, Time at = start) {
  return {.key = {.business_id = {}, .workflow_id = {}, .guid = Guid::random()},
          .state = run(status, at).state};
}

TEST(OutcomeQueue, EventsGoBeforeOutcomesUntilNoneWaits) {
  OutcomeQueue queue;
  queue.add(outcome(RunStatus::succeeded));
  for (int i = 0; i < 3; ++i) queue.add(event());
  const storage::Batch first = queue.take(2);
  EXPECT_THAT(first.events, SizeIs(2));
  EXPECT_THAT(first.outcomes, IsEmpty());
  const storage::Batch second = queue.take(2);
  EXPECT_THAT(second.events, SizeIs(1));
  EXPECT_THAT(second.outcomes, SizeIs(1));
  EXPECT_TRUE(queue.empty());
}

TEST(OutcomeQueue, ABatchEndsWithTheEntryThatExceedsFourMebibytes) {
  OutcomeQueue queue;
  for (int i = 0; i < 5; ++i) {
    storage::Run large = run(RunStatus::queued);
    large.key.request = std::string(1536UL * 1024, 'x');
    queue.add(event({std::move(large)}));
  }
  EXPECT_THAT(queue.take(100).events, SizeIs(3));
  EXPECT_THAT(queue.take(100).events, SizeIs(2));
}

TEST(OutcomeQueue, BatchesSetAsideComeBackInOrderWithTheirTime) {
  OutcomeQueue queue;
  const OutcomeQueue::Moment now{};
  EXPECT_EQ(queue.retry_at(), std::nullopt);
  for (auto& single : split({.events = {event(), event({run(RunStatus::queued)})}, .outcomes = {}}))
    queue.set_aside(std::move(single), now + 250ms);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.retry_at(), now + 250ms);
  EXPECT_THAT(queue.take_set_aside().events.at(0).runs, IsEmpty());
  EXPECT_THAT(queue.take_set_aside().events.at(0).runs, SizeIs(1));
  EXPECT_EQ(queue.retry_at(), std::nullopt);
}

/// A batch with one event of a record, and the record of such a batch.
storage::Batch change_of(const Guid& record) {
  storage::Run queued = run(RunStatus::queued);
  queued.key.entity_id = record;
  return std::move(split({.events = {event({std::move(queued)})}, .outcomes = {}}).front());
}

Guid record_of(const storage::Batch& batch) { return batch.events.at(0).runs.at(0).key.entity_id; }

TEST(OutcomeQueue, EventsFollowThoseOfTheirRecordThatAreSetAside) {
  OutcomeQueue queue;
  const OutcomeQueue::Moment now{};
  const Guid slow = Guid::random(), other = Guid::random();
  storage::Batch alone = change_of(slow);
  EXPECT_FALSE(queue.follow(alone));
  queue.set_aside(std::move(alone), now);
  storage::Batch unaffected = change_of(other);
  EXPECT_FALSE(queue.follow(unaffected));
  storage::Batch later = change_of(slow);
  later.events[0].key.id = 2;
  EXPECT_TRUE(queue.follow(later));
  for (const Guid& record : {slow, other}) {
    queue.add(std::move(change_of(record).events[0]));
  }
  queue.add(event());
  const storage::Batch free = queue.take(10);
  ASSERT_THAT(free.events, SizeIs(2)) << "that of the other record, and that without runs";
  EXPECT_EQ(record_of(free), other);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(record_of(queue.take_set_aside()), slow);
  EXPECT_EQ(queue.retry_at(), std::nullopt);
}

TEST(OutcomeQueue, AnEventThatIsSetAsideAgainStaysBeforeThoseThatFollowIt) {
  OutcomeQueue queue;
  const OutcomeQueue::Moment now{};
  const Guid slow = Guid::random(), other = Guid::random();
  queue.set_aside(change_of(slow), now);
  queue.set_aside(change_of(other), now);
  for (std::uint64_t id = 2; id < 4; ++id) {
    storage::Batch later = change_of(slow);
    later.events[0].key.id = id;
    ASSERT_TRUE(queue.follow(later));
  }
  queue.set_aside(queue.take_set_aside(), now + 250ms);
  EXPECT_EQ(record_of(queue.take_set_aside()), other) << "another record has its turn";
  std::vector<std::uint64_t> order;
  while (queue.retry_at()) order.push_back(queue.take_set_aside().events[0].key.id);
  EXPECT_THAT(order, testing::ElementsAre(0U, 2U, 3U));
}

TEST(OutcomeQueue, ManyEntriesThatAreSetAsideDoNotSlowTheOthers) {
  constexpr int count = 20'000;
  OutcomeQueue queue;
  const auto started_at = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) queue.set_aside(change_of(Guid::random()), {});
  for (int i = 0; i < count; ++i) {
    queue.add(std::move(change_of(Guid::random()).events[0]));
    ASSERT_THAT(queue.take(1).events, SizeIs(1));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - started_at, 5s) << "each looks at all that are set aside";
}

TEST(RecordBatch, IsSplitIntoEntriesWithSavepoints) {
  const auto singles = split({.events = {event(), event()}, .outcomes = {outcome(RunStatus::dead)}});
  ASSERT_THAT(singles, SizeIs(3));
  for (const storage::Batch& single : singles) {
    EXPECT_EQ(single.events.size() + single.outcomes.size(), 1U);
    EXPECT_TRUE(single.with_savepoints);
  }
}

TEST(RecordBatch, RunsThatTheDatabaseRefusesEndWithoutTheirTexts) {
  storage::Run refused = run(RunStatus::retrying);
  refused.state.attempts = 2;
  refused.key.request = "refused";
  refused.key.body = "refused";
  storage::Batch batch{.events = {event({refused})}, .outcomes = {outcome(RunStatus::succeeded)}};
  drop_refused_texts(batch, "too long");
  const storage::Run& ended = batch.events[0].runs[0];
  EXPECT_EQ(ended.state.status, RunStatus::dead);
  EXPECT_EQ(ended.state.code, "UNRECORDABLE");
  EXPECT_EQ(ended.state.error, "The outcome could not be stored: too long");
  EXPECT_EQ(ended.state.attempts, 2);
  EXPECT_EQ(ended.key.request, "{}");
  EXPECT_FALSE(ended.key.body);
  EXPECT_EQ(batch.outcomes[0].state.code, "UNRECORDABLE");
}

TEST(RecordBatch, TheNextDueRunIsTheEarliestThatWaits) {
  const storage::Batch batch{
      .events = {event({run(RunStatus::waiting, start + 9s), run(RunStatus::succeeded, start + 1s)})},
      .outcomes = {outcome(RunStatus::retrying, start + 5s), outcome(RunStatus::held, start + 2s)}};
  EXPECT_EQ(next_due(batch, {}), (NextDue{.run = start + 5s, .timer = {}}));
  EXPECT_EQ(next_due(batch, {.events = 1, .changed = {run(RunStatus::queued, start + 3s).state}}).run,
            start + 3s);
  EXPECT_EQ(next_due({.events = {event({run(RunStatus::succeeded)})}, .outcomes = {}}, {}), NextDue());
}

TEST(RecordBatch, TheNextDueTimerIsTheEarliestThatItSet) {
  storage::SettledEvent first = event({run(RunStatus::queued, start + 1s)});
  for (const auto& setting : {std::optional(storage::TimerChange::Setting{.value = start, .due = start + 7s}),
                              std::optional(storage::TimerChange::Setting{.value = start, .due = start + 5s}),
                              std::optional<storage::TimerChange::Setting>()})
    first.timers.push_back({.business_id = {}, .workflow_id = {}, .entity_id = {}, .setting = setting});
  EXPECT_EQ(next_due({.events = {first, event()}, .outcomes = {}}, {}),
            (NextDue{.run = start + 1s, .timer = start + 5s}));
}

TEST(RecordBatch, TheEndOfAQueuedRunMakesAnotherDueAtOnce) {
  EXPECT_EQ(next_due({.events = {}, .outcomes = {outcome(RunStatus::succeeded, start + 5s)}}, {}),
            (NextDue{.run = Time{}, .timer = {}}));
}

TEST(RecordBatch, AnEventIsAwaitedForTheOrderedRunsThatItQueuesAndForChanges) {
  storage::SettledEvent event{.shard = 0, .key = {}, .runs = {}};
  EXPECT_FALSE(is_awaited(event));
  storage::Run& run = event.runs.emplace_back();
  run.state.status = RunStatus::queued;
  EXPECT_FALSE(is_awaited(event));
  run.key.ordered = true;
  EXPECT_TRUE(is_awaited(event));
  run.state.status = RunStatus::skipped;
  EXPECT_FALSE(is_awaited(event));
  run.state.change = std::make_shared<storage::RecordChange>();
  EXPECT_TRUE(is_awaited(event));
}

TEST(RecordBatch, AnOutcomeIsAwaitedForTheNextOrderedRunAndForChanges) {
  storage::QueuedOutcome outcome{.key = {}, .state = {}};
  outcome.state.status = RunStatus::succeeded;
  EXPECT_FALSE(is_awaited(outcome));
  outcome.ordered = true;
  EXPECT_TRUE(is_awaited(outcome));
  outcome.state.status = RunStatus::retrying;
  EXPECT_FALSE(is_awaited(outcome));
  outcome.state.change = std::make_shared<storage::RecordChange>();
  EXPECT_TRUE(is_awaited(outcome));
}

}  // namespace
}  // namespace waybill::worker
