#include "worker/outcomes/outcome_inbox.hpp"

#include <thread>

#include <gmock/gmock.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using testing::SizeIs;

constexpr Duration forever = 1h;

storage::SettledEvent event(std::uint64_t id) {
  return {.shard = 0, .key = {.id = id, .at = {}}, .runs = {}};
}

storage::Batch single(std::uint64_t id) {
  storage::Batch batch{.events = {}, .outcomes = {}, .with_savepoints = true};
  batch.events.push_back(event(id));
  return batch;
}

storage::QueuedOutcome ended_ordered_run() {
  storage::QueuedOutcome outcome{.key = {}, .state = {}, .ordered = true};
  outcome.state.status = storage::RunStatus::succeeded;
  return outcome;
}

storage::SettledEvent event_with_ordered_run(std::uint64_t id) {
  storage::SettledEvent with_run = event(id);
  storage::Run& run = with_run.runs.emplace_back();
  run.key.ordered = true;
  run.state.status = storage::RunStatus::queued;
  return with_run;
}

TEST(OutcomeInbox, ABatchIsTakenAsSoonAsItIsFull) {
  OutcomeInbox inbox({.batch_size = 2, .batch_delay = forever});
  inbox.add(event(1));
  inbox.add({event(2), event(3)});
  storage::Batch batch;
  ASSERT_TRUE(inbox.wait_for_batch(batch));
  EXPECT_THAT(batch.events, SizeIs(2));
}

TEST(OutcomeInbox, ABatchThatIsNotFullIsTakenAfterTheDelay) {
  OutcomeInbox inbox({.batch_size = 2, .batch_delay = 1ms});
  inbox.add(event(1));
  storage::Batch batch;
  ASSERT_TRUE(inbox.wait_for_batch(batch));
  EXPECT_THAT(batch.events, SizeIs(1));
}

TEST(OutcomeInbox, ABatchWithAnAwaitedEntryIsTakenAtOnce) {
  OutcomeInbox inbox({.batch_size = 9, .batch_delay = forever});
  inbox.add(event(1));
  inbox.add(ended_ordered_run());
  storage::Batch batch;
  ASSERT_TRUE(inbox.wait_for_batch(batch));
  EXPECT_THAT(batch.events, SizeIs(1));
  EXPECT_THAT(batch.outcomes, SizeIs(1));
}

TEST(OutcomeInbox, AnAwaitedEntryEndsTheWaitForFurtherOnes) {
  OutcomeInbox inbox({.batch_size = 9, .batch_delay = forever});
  inbox.add(event(1));
  std::thread adding([&] { inbox.add({event_with_ordered_run(2)}); });
  storage::Batch batch;
  ASSERT_TRUE(inbox.wait_for_batch(batch));
  EXPECT_THAT(batch.events, SizeIs(2));
  adding.join();
}

TEST(OutcomeInbox, AfterALargeBatchAnAwaitedEntryWaitsForFurtherOnes) {
  OutcomeInbox inbox({.batch_size = 3, .batch_delay = forever, .small_batch = 2});
  inbox.add({event(1), event(2), event(3)});
  storage::Batch batch;
  ASSERT_TRUE(inbox.wait_for_batch(batch));
  inbox.add(ended_ordered_run());
  std::thread adding([&] { inbox.add({event(4), event(5)}); });
  batch = {};
  ASSERT_TRUE(inbox.wait_for_batch(batch));
  EXPECT_THAT(batch.events, SizeIs(2));
  EXPECT_THAT(batch.outcomes, SizeIs(1));
  adding.join();
}

TEST(OutcomeInbox, AnEntryWakesTheThreadThatWaitsForOne) {
  OutcomeInbox inbox({.batch_size = 1, .batch_delay = forever});
  std::thread adding([&] { inbox.add(storage::QueuedOutcome{}); });
  storage::Batch batch;
  EXPECT_TRUE(inbox.wait_for_batch(batch));
  EXPECT_THAT(batch.outcomes, SizeIs(1));
  adding.join();
}

TEST(OutcomeInbox, AFlushWaitsUntilTheBatchThatWasTakenIsWritten) {
  OutcomeInbox inbox({.batch_size = 1, .batch_delay = forever});
  EXPECT_TRUE(inbox.flush(forever)) << "there is nothing to write";
  inbox.add(event(1));
  storage::Batch batch;
  ASSERT_TRUE(inbox.wait_for_batch(batch));
  EXPECT_FALSE(inbox.flush(1ms));
  inbox.stop();
  EXPECT_FALSE(inbox.wait_for_batch(batch)) << "the batch is written, and nothing is left";
  EXPECT_TRUE(inbox.flush(forever));
}

TEST(OutcomeInbox, TheRemainingEntriesCanBeTakenAfterTheEnd) {
  OutcomeInbox inbox({.batch_size = 2, .batch_delay = forever});
  inbox.add(event(1));
  inbox.stop();
  storage::Batch batch;
  EXPECT_TRUE(inbox.wait_for_batch(batch));
  EXPECT_THAT(batch.events, SizeIs(1));
  EXPECT_FALSE(inbox.wait_for_batch(batch));
}

TEST(OutcomeInbox, BatchesSetAsideAreTakenAgain) {
  OutcomeInbox inbox({.batch_size = 2, .batch_delay = forever});
  EXPECT_FALSE(inbox.any_set_aside());
  inbox.set_aside(single(1));
  EXPECT_TRUE(inbox.any_set_aside());
  inbox.stop();  // ends the wait for their time
  storage::Batch batch;
  ASSERT_TRUE(inbox.wait_for_batch(batch));
  EXPECT_EQ(batch.events.at(0).key.id, 1U);
  EXPECT_TRUE(batch.with_savepoints);
  EXPECT_FALSE(inbox.any_set_aside());
  EXPECT_FALSE(inbox.wait_for_batch(batch));
}

TEST(OutcomeInbox, APauseEndsWithTheInbox) {
  OutcomeInbox inbox({.batch_size = 2, .batch_delay = forever});
  EXPECT_TRUE(inbox.pause(1ms));
  EXPECT_FALSE(inbox.is_stopping());
  std::thread stopping([&] { inbox.stop(); });
  inbox.pause(forever);
  stopping.join();
  EXPECT_TRUE(inbox.is_stopping());
  EXPECT_FALSE(inbox.pause(forever));
}

}  // namespace
}  // namespace waybill::worker
