#include "worker/events/backlog.hpp"

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using Ids = std::vector<std::uint64_t>;
using Events = std::vector<storage::PendingEvent>;

constexpr std::size_t all = 1000;

const Guid quiet = Guid::random();
const Guid loud = Guid::random();

storage::PendingEvent event(std::uint64_t id, const Guid& business, std::int16_t shard = 0) {
  return {shard, id, business, Time(std::chrono::seconds(id))};
}

Ids ids(const std::vector<storage::PendingEvent>& events) {
  Ids ids;
  for (const auto& taken : events) ids.push_back(taken.id);
  return ids;
}

std::vector<storage::EventKey> keys(const Ids& ids) {
  std::vector<storage::EventKey> keys;
  for (const std::uint64_t id : ids) keys.push_back(event(id, loud).key());
  return keys;
}

TEST(Backlog, BusinessesOfOneShardTakeTurns) {
  Backlog backlog(all);
  for (std::uint64_t id = 1; id <= 100; ++id) backlog.add(Events{event(id, loud)});
  backlog.add(Events{event(101, quiet), event(102, quiet)});
  EXPECT_EQ(ids(backlog.take(4)), (Ids{1, 101, 2, 102}));
  EXPECT_EQ(ids(backlog.take(2)), (Ids{3, 4}));
  EXPECT_EQ(backlog.waiting(), 96U);
  EXPECT_EQ(backlog.taken(), 6U);
}

TEST(Backlog, EventsOfABusinessAreOrderedByIdNotByCommit) {
  Backlog backlog(all);
  backlog.add(Events{event(5, loud), event(7, loud)});
  backlog.add(Events{event(3, loud), event(6, loud)});
  EXPECT_EQ(ids(backlog.take(all)), (Ids{3, 5, 6, 7}));
}

TEST(Backlog, ABusinessAtItsShareWaitsForRecordedEvents) {
  Backlog backlog(8);
  for (std::uint64_t id = 1; id <= 9; ++id) backlog.add(Events{event(id, loud)});
  backlog.add(Events{event(10, quiet)});
  EXPECT_EQ(ids(backlog.take(all)), (Ids{1, 10, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ids(backlog.take(all)), Ids{});
  EXPECT_EQ(backlog.waiting(), 3U);
  backlog.add(Events{event(11, quiet)});
  EXPECT_EQ(ids(backlog.take(all)), Ids{11}) << "capacity is left to others";
  backlog.settled(keys({2, 999}));
  EXPECT_EQ(ids(backlog.take(all)), Ids{}) << "capacity is still left to others";
  backlog.settled(keys({1, 3}));
  EXPECT_EQ(ids(backlog.take(all)), (Ids{7, 8}));
}

TEST(Backlog, ReturnedEventsKeepTheirOrder) {
  Backlog backlog(2);
  for (std::uint64_t id = 1; id <= 4; ++id) backlog.add(Events{event(id, loud)});
  const auto taken = backlog.take(2);
  backlog.put_back(Events{taken.back()});
  EXPECT_EQ(backlog.taken(), 1U);
  EXPECT_EQ(ids(backlog.take(all)), Ids{2});
  backlog.settled(keys({1, 2}));
  EXPECT_EQ(ids(backlog.take(all)), (Ids{3, 4}));
}

TEST(Backlog, ForgettingAShardRemovesOnlyItsWaitingEvents) {
  Backlog backlog(all);
  backlog.add(Events{event(1, loud, 0), event(2, loud, 1), event(3, quiet, 1), event(4, loud, 1)});
  EXPECT_EQ(ids(backlog.take(1)), Ids{1});
  std::vector<storage::EventKey> forgotten = backlog.forget(1);
  std::ranges::sort(forgotten);
  EXPECT_EQ(forgotten, keys({2, 3, 4}));
  EXPECT_EQ(backlog.waiting(), 0U);
  EXPECT_EQ(backlog.taken(), 1U);
  backlog.add(Events{event(5, quiet), event(6, loud)});
  EXPECT_EQ(ids(backlog.take(all)), (Ids{5, 6}));
  backlog.settled(keys({1, 5, 6}));
  EXPECT_EQ(backlog.taken(), 0U);
}

TEST(Backlog, EventsWithOneIdAndDifferentTimesAreDifferent) {
  Backlog backlog(2);
  const storage::PendingEvent lost = event(1, loud);
  storage::PendingEvent drawn_again = lost;
  drawn_again.at += std::chrono::seconds(5);
  backlog.add(Events{lost});
  EXPECT_EQ(backlog.take(all).size(), 1U);
  backlog.add(Events{drawn_again});
  EXPECT_EQ(backlog.take(all).size(), 1U);
  EXPECT_EQ(backlog.taken(), 2U);
  backlog.settled(std::vector{lost.key()});
  EXPECT_EQ(backlog.taken(), 1U);
  backlog.settled(std::vector{drawn_again.key()});
  EXPECT_EQ(backlog.taken(), 0U);
}

TEST(Backlog, AnEventThatIsNotReadyKeepsOnlyItsBusinessWaiting) {
  Backlog backlog(all);
  backlog.add(Events{event(1, loud), event(2, loud), event(3, quiet), event(4, quiet), event(5, loud)});
  std::uint64_t not_ready = 2;
  const auto is_ready = [&](const storage::PendingEvent& event) { return event.id != not_ready; };
  EXPECT_EQ(ids(backlog.take(all, is_ready)), (Ids{1, 3, 4})) << "5 is ready, but comes after 2";
  EXPECT_EQ(ids(backlog.take(all, is_ready)), Ids{});
  EXPECT_EQ(backlog.waiting_of(std::vector{loud, quiet}), (std::map<std::int16_t, std::size_t>{{0, 2}}));
  not_ready = 0;
  EXPECT_EQ(ids(backlog.take(all, is_ready)), (Ids{2, 5}));
  EXPECT_TRUE(backlog.waiting_of(std::vector{loud, quiet}).empty());
}

TEST(Backlog, TheOldestIsTheFirstWaitingEventOfAnyBusiness) {
  Backlog backlog(all);
  EXPECT_EQ(backlog.oldest(Time(std::chrono::seconds(50))), Time(std::chrono::seconds(50)));
  backlog.add(Events{event(7, loud), event(4, loud), event(9, quiet)});
  EXPECT_EQ(backlog.oldest(Time(std::chrono::seconds(50))), Time(std::chrono::seconds(4)));
  EXPECT_EQ(backlog.oldest(Time(std::chrono::seconds(1))), Time(std::chrono::seconds(1)));
  backlog.take(all);
  EXPECT_EQ(backlog.oldest(Time(std::chrono::seconds(50))), Time(std::chrono::seconds(50)));
}

TEST(Backlog, ATakenEventIsTheOldestUntilItIsRecorded) {
  Backlog backlog(all);
  const Time now{std::chrono::seconds(50)};
  backlog.add(Events{event(4, loud), event(9, quiet)});
  EXPECT_EQ(backlog.oldest_taken(now), now);
  const auto taken = backlog.take(all);
  EXPECT_EQ(backlog.oldest_taken(now), Time(std::chrono::seconds(4)));
  const std::vector recorded{taken.front().key()};
  backlog.settled(recorded);
  EXPECT_EQ(backlog.oldest_taken(now), Time(std::chrono::seconds(9)));
  backlog.put_back(std::span(taken).last(1));
  EXPECT_EQ(backlog.oldest_taken(now), now);
}

}  // namespace
}  // namespace waybill::worker
