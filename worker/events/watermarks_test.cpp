#include "worker/events/watermarks.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t no_limit = 1000;

/// One of the businesses of a shard.
Guid business_of(std::int16_t shard, std::uint8_t number) {
  Guid business{};
  business.bytes[0] = static_cast<std::uint8_t>(shard);
  business.bytes[15] = static_cast<std::uint8_t>(number + 1);
  return business;
}

/// A model of the outbox with its transactions and snapshots.
class Outbox {
 public:
  std::uint64_t begin() {
    const std::uint64_t xid = next_xid_++;
    open_[xid];
    return xid;
  }
  std::uint64_t draw(std::uint64_t xid, std::int16_t shard = 0, std::uint8_t business = 0) {
    open_.at(xid).push_back({shard, ++last_id_, business_of(shard, business), Time(Duration(++drawn_)), {}});
    return last_id_;
  }
  void commit(std::uint64_t xid) {
    for (const auto& event : open_.at(xid)) pending_[event.id] = event;
    roll_back(xid);
  }
  void roll_back(std::uint64_t xid) {
    open_.erase(xid);
    last_over_ = std::max(last_over_, xid);
  }
  void let_pass(Duration time) { now_ += time; }
  std::uint64_t insert(std::int16_t shard = 0, std::uint8_t business = 0) {
    const std::uint64_t xid = begin();
    const std::uint64_t id = draw(xid, shard, business);
    commit(xid);
    return id;
  }
  /// A crash of the server, which loses numbers that were drawn for uncommitted transactions.
  void recover(std::uint64_t last_id) { last_id_ = last_id; }
  /// A crash that also loses the commits after `last_id`, which were not on disk.
  void lose_commits(std::uint64_t last_id) {
    pending_.erase(pending_.upper_bound(last_id), pending_.end());
    recover(last_id);
  }
  storage::EventKey key(std::uint64_t id) const { return pending_.at(id).key(); }
  void record(std::uint64_t id) { pending_.erase(id); }
  std::set<std::uint64_t> open_transactions() const {
    std::set<std::uint64_t> xids;
    for (const auto& [xid, events] : open_) xids.insert(xid);
    return xids;
  }
  bool empty() const { return pending_.empty(); }

  storage::Scan scan(const Watermarks& watermarks, std::size_t limit, bool draw_xid = true) {
    storage::Scan scan;
    scan.began_at = now_;
    scan.xmax = last_over_ + 1;
    for (const auto& [xid, events] : open_) {
      if (xid < scan.xmax) scan.running.push_back(xid);
    }
    scan.xmin = scan.running.empty() ? scan.xmax : scan.running.front();
    scan.last_id = last_id_;
    const auto in_flight = watermarks.in_flight();
    const auto separated = watermarks.separated();
    for (const storage::Watermark& mark : watermarks.all()) {
      std::size_t count = 0;
      for (auto entry = pending_.upper_bound(mark.low); entry != pending_.end() && count < limit; ++entry) {
        const Guid& business = entry->second.business_id;
        const bool is_separated = std::ranges::find(separated, business) != separated.end();
        if (entry->second.shard != mark.shard || (is_separated ? business : Guid{}) != mark.business_id ||
            std::ranges::find(in_flight, entry->second.key()) != in_flight.end()) {
          continue;
        }
        scan.events.push_back(entry->second);
        ++count;
      }
    }
    if (draw_xid) scan.xid = last_over_ = next_xid_++;
    return scan;
  }

 private:
  std::uint64_t next_xid_ = 100;
  std::uint64_t last_over_ = 99;
  Time now_{};
  std::uint64_t last_id_ = 0;
  int drawn_ = 0;  // all numbers drawn; serves as the time of an event
  std::map<std::uint64_t, std::vector<storage::PendingEvent>> open_;
  std::map<std::uint64_t, storage::PendingEvent> pending_;
};

std::vector<std::uint64_t> event_ids(const std::vector<storage::PendingEvent>& events) {
  std::vector<std::uint64_t> event_ids;
  event_ids.reserve(events.size());
  for (const auto& event : events) event_ids.push_back(event.id);
  return event_ids;
}

std::vector<std::uint64_t> take_scan(Watermarks& watermarks, Outbox& outbox, std::size_t limit = no_limit,
                                     bool draw_xid = true) {
  return event_ids(watermarks.take(outbox.scan(watermarks, limit, draw_xid), limit, limit));
}

using Ids = std::vector<std::uint64_t>;

TEST(Watermarks, AnIdDrawnEarlyAndCommittedLastIsTaken) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  const auto slow = outbox.begin();
  const auto early = outbox.draw(slow);
  const auto late = outbox.insert();
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{late});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(take_scan(watermarks, outbox), Ids{});
  outbox.commit(slow);
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{early});
}

TEST(Watermarks, AnEventOfAnEarlierLeaseThatIsGivenUpIsReadAgainBeforeLaterOnes) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  watermarks.add(1);
  const auto first = outbox.insert(0);
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{first});
  watermarks.remove(0);
  watermarks.add(0);
  const auto later = outbox.insert(0);
  const auto other = outbox.insert(1);
  watermarks.leave_out({});
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{other});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(take_scan(watermarks, outbox), Ids{});
  EXPECT_TRUE(watermarks.has_earlier());
  EXPECT_TRUE(watermarks.leaves_out());

  const storage::Scan scan = outbox.scan(watermarks, no_limit);
  EXPECT_TRUE(watermarks.settled({{outbox.key(first)}}));
  EXPECT_FALSE(watermarks.has_earlier());
  EXPECT_EQ(event_ids(watermarks.take(scan, no_limit, no_limit)), Ids{}) << "the scan left the shard out";
  watermarks.leave_out({});
  EXPECT_FALSE(watermarks.leaves_out());
  EXPECT_EQ(take_scan(watermarks, outbox), (Ids{first, later}));
  EXPECT_FALSE(watermarks.settled({{outbox.key(first)}})) << "it is of this lease";
}

TEST(Watermarks, EventsOfAnEarlierLeaseKeepNoShardThatIsNotHeld) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  const auto first = outbox.insert(0);
  take_scan(watermarks, outbox);
  watermarks.remove(0);
  watermarks.add(0);
  EXPECT_TRUE(watermarks.has_earlier());
  watermarks.remove(0);
  EXPECT_FALSE(watermarks.has_earlier());
  EXPECT_FALSE(watermarks.settled({{outbox.key(first)}}));
}

TEST(Watermarks, AWatermarkWaitsForAllTransactionsThatMayHaveDrawnBelowIt) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  const auto slow = outbox.begin();
  outbox.draw(slow);
  const auto id = outbox.insert();
  take_scan(watermarks, outbox);
  for (int i = 0; i < 5; ++i) {
    take_scan(watermarks, outbox);
    EXPECT_EQ(watermarks.all().front().low, 0U);
  }
  outbox.roll_back(slow);
  take_scan(watermarks, outbox);
  EXPECT_EQ(watermarks.all().front().low, id);
}

/// An open transaction, begun after `before`, that has held the watermark for 100 ms.
class LongTransaction : public testing::Test {
 protected:
  LongTransaction() {
    watermarks_.add(0);
    before_ = outbox_.insert();
    scan_twice();
    open_ = outbox_.begin();
    its_id_ = outbox_.draw(open_);
    last_ = outbox_.insert();
    scan_twice();
    outbox_.let_pass(milliseconds(99));
    scan_twice();
    EXPECT_EQ(low(), before_) << "most transactions end soon";
    outbox_.let_pass(milliseconds(1));
    scan_twice();
  }

  /// The second scan has a snapshot from after the transaction id of the first one.
  void scan_twice() {
    take_scan(watermarks_, outbox_);
    take_scan(watermarks_, outbox_);
  }
  std::uint64_t low() const { return watermarks_.all().front().low; }

  Outbox outbox_;
  Watermarks watermarks_;
  std::uint64_t before_ = 0;
  std::uint64_t open_ = 0;
  std::uint64_t its_id_ = 0;
  std::uint64_t last_ = 0;
};

TEST_F(LongTransaction, DoesNotHoldTheWatermark) {
  EXPECT_EQ(low(), last_);
  for (int i = 0; i < 3; ++i) {
    const auto next = outbox_.insert();
    EXPECT_EQ(take_scan(watermarks_, outbox_), Ids{next});
    scan_twice();
    EXPECT_EQ(low(), next);
  }
}

TEST_F(LongTransaction, ItsEventsAreTakenByTheSecondScanAfterItsEnd) {
  const auto later = outbox_.draw(open_);
  outbox_.commit(open_);
  EXPECT_EQ(take_scan(watermarks_, outbox_), Ids{})
      << "later events of the same record must not come before the earlier ones";
  EXPECT_TRUE(watermarks_.has_missed());
  EXPECT_EQ(low(), before_)
      << "the shard is read again from where the transaction began, not from its beginning";
  EXPECT_EQ(take_scan(watermarks_, outbox_), (Ids{its_id_, later}));
  EXPECT_FALSE(watermarks_.has_missed());
  scan_twice();
  EXPECT_EQ(low(), later);
}

TEST_F(LongTransaction, ItsEndIsNotForgottenByAScanThatLeavesItsShardOut) {
  watermarks_.leave_out({0});
  outbox_.commit(open_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(take_scan(watermarks_, outbox_), Ids{});
  watermarks_.leave_out({});
  EXPECT_EQ(take_scan(watermarks_, outbox_), Ids{its_id_});
}

TEST_F(LongTransaction, ItsEventsAreTakenAfterALostConnection) {
  watermarks_.reconnected();
  outbox_.commit(open_);
  const auto taken = take_scan(watermarks_, outbox_);
  EXPECT_NE(std::ranges::find(taken, its_id_), taken.end());
}

TEST_F(LongTransaction, AnotherOneReturnsOnlyToItsOwnBeginning) {
  const auto second = outbox_.begin();
  const auto second_id = outbox_.draw(second);
  const auto next = outbox_.insert();
  scan_twice();
  outbox_.let_pass(milliseconds(100));
  scan_twice();
  ASSERT_EQ(low(), next);
  outbox_.commit(second);
  take_scan(watermarks_, outbox_);
  EXPECT_EQ(low(), last_);
  EXPECT_EQ(take_scan(watermarks_, outbox_), Ids{second_id});
}

TEST(Watermarks, WithoutATransactionIdAWatermarkStays) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  const auto id = outbox.insert();
  EXPECT_FALSE(watermarks.wants_xid());
  take_scan(watermarks, outbox, no_limit, false);
  EXPECT_TRUE(watermarks.wants_xid());
  take_scan(watermarks, outbox, no_limit, false);
  EXPECT_EQ(watermarks.all().front().low, 0U);
  take_scan(watermarks, outbox);
  take_scan(watermarks, outbox, no_limit, false);
  EXPECT_EQ(watermarks.all().front().low, id);
  EXPECT_FALSE(watermarks.wants_xid()) << "the watermark cannot advance further";
}

TEST(Watermarks, AWatermarkStopsAtTheEndOfALimitedScan) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  for (int i = 0; i < 5; ++i) outbox.insert();
  EXPECT_EQ(take_scan(watermarks, outbox, 2), (Ids{1, 2}));
  EXPECT_EQ(take_scan(watermarks, outbox, 2), (Ids{3, 4}));
  EXPECT_LE(watermarks.all().front().low, 4U);
  EXPECT_EQ(take_scan(watermarks, outbox, 2), Ids{5});
}

TEST(Watermarks, AWatermarkAdvancesWithEachScanOfACommittedBacklog) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  for (int i = 0; i < 9; ++i) outbox.insert();
  take_scan(watermarks, outbox, 1);
  take_scan(watermarks, outbox, 1);
  EXPECT_FALSE(watermarks.wants_xid()) << "all nine transactions are over";
  for (std::uint64_t id = 3; id <= 8; ++id) {
    EXPECT_EQ(take_scan(watermarks, outbox, 1, false), Ids{id});
    EXPECT_EQ(watermarks.all().front().low, id);
  }
}

/// A shard whose first business has five events, of which a scan with a limit of two has read two.
class SeparatedBusiness : public testing::Test {
 protected:
  SeparatedBusiness() {
    watermarks_.add(0);
    for (int i = 0; i < 5; ++i) outbox_.insert();
    take_scan(watermarks_, outbox_, 2);
    watermarks_.separate(loud_, 0, Time(Duration(1)));
  }

  const Guid loud_ = business_of(0, 0);
  Outbox outbox_;
  Watermarks watermarks_;
};

TEST_F(SeparatedBusiness, ItsBacklogDoesNotHideALaterEventOfItsShard) {
  EXPECT_EQ(watermarks_.cut_off(), std::vector<std::int16_t>{0});
  const auto quiet = outbox_.insert(0, 1);
  EXPECT_EQ(take_scan(watermarks_, outbox_, 2), (Ids{quiet, 3, 4}));
  EXPECT_TRUE(watermarks_.cut_off().empty());
  EXPECT_EQ(watermarks_.separated(), std::vector{loud_});
}

TEST_F(SeparatedBusiness, ItsWatermarkLastsUntilItIsReadToItsEnd) {
  take_scan(watermarks_, outbox_, 2);
  EXPECT_EQ(take_scan(watermarks_, outbox_, 2), Ids{5});
  EXPECT_TRUE(watermarks_.separated().empty());
  const auto next = outbox_.insert();
  EXPECT_EQ(take_scan(watermarks_, outbox_, 2), Ids{next});
}

TEST_F(SeparatedBusiness, AScanThatLeavesItOutLosesNoneOfItsEvents) {
  watermarks_.leave_out({}, {loud_});
  const auto quiet = outbox_.insert(0, 1);
  EXPECT_EQ(take_scan(watermarks_, outbox_, 2), Ids{quiet});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(take_scan(watermarks_, outbox_, 2), Ids{});
  EXPECT_EQ(watermarks_.all().front().low, quiet);
  watermarks_.leave_out({}, {});
  EXPECT_EQ(take_scan(watermarks_, outbox_), (Ids{3, 4, 5}));
}

TEST_F(SeparatedBusiness, EventsCommittedLateAreTaken) {
  const auto slow = outbox_.begin();
  const auto late = outbox_.draw(slow);
  const auto late_quiet = outbox_.draw(slow, 0, 1);
  EXPECT_EQ(take_scan(watermarks_, outbox_, 2), (Ids{3, 4}));
  EXPECT_EQ(take_scan(watermarks_, outbox_, 2), Ids{5});
  outbox_.commit(slow);
  EXPECT_EQ(take_scan(watermarks_, outbox_), (Ids{late, late_quiet}));
}

TEST_F(SeparatedBusiness, IsKnownToHaveUnreadEventsSinceTheFirstOfItsLastRead) {
  EXPECT_EQ(watermarks_.read_until(Time::max()), Time(Duration(1)));
  take_scan(watermarks_, outbox_, 2);
  EXPECT_EQ(watermarks_.read_until(Time::max()), outbox_.key(3).at);
  take_scan(watermarks_, outbox_, 2);
  EXPECT_EQ(watermarks_.read_until(Time::max()), Time::max());
}

TEST_F(SeparatedBusiness, LeavesWithItsShardAndWithTheConnection) {
  Watermarks again = watermarks_;
  again.reconnected();
  EXPECT_TRUE(again.separated().empty());
  again = watermarks_;
  again.remove(0);
  EXPECT_TRUE(again.all().empty());
}

TEST(Watermarks, NumbersDrawnAgainAfterACrashAreTaken) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  const auto lost = outbox.begin();
  for (int i = 0; i < 5; ++i) outbox.draw(lost);
  outbox.roll_back(lost);
  take_scan(watermarks, outbox);
  take_scan(watermarks, outbox);
  ASSERT_EQ(watermarks.all().front().low, 5U);
  outbox.recover(0);
  watermarks.reconnected();
  const auto again = outbox.insert();
  ASSERT_EQ(again, 1U);
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{again});
}

TEST(Watermarks, AnEventWithTheIdOfALostOneInFlightIsTaken) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  const auto kept = outbox.insert();
  const auto lost = outbox.insert();
  const storage::EventKey lost_key = outbox.key(lost);
  EXPECT_EQ(take_scan(watermarks, outbox), (Ids{kept, lost}));
  outbox.lose_commits(kept);
  watermarks.reconnected();
  ASSERT_EQ(outbox.insert(), lost);
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{lost}) << "the kept one is still in flight";
  EXPECT_EQ(watermarks.in_flight_count(), 3U);
  watermarks.settled(std::vector{lost_key});
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{}) << "the end of the lost one does not end the new one";
  EXPECT_EQ(watermarks.in_flight_count(), 2U);
}

TEST(Watermarks, AShardAddedLaterIsReadFromTheBeginning) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  const auto old = outbox.insert(1);
  outbox.insert(0);
  for (int i = 0; i < 4; ++i) take_scan(watermarks, outbox);
  watermarks.add(1);
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{old});
}

TEST(Watermarks, AReturningShardIsReadFromTheBeginningWithoutEventsInFlight) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  outbox.insert();
  outbox.insert();
  take_scan(watermarks, outbox);
  take_scan(watermarks, outbox);
  watermarks.remove(0);
  EXPECT_TRUE(watermarks.any_in_flight(0));
  EXPECT_TRUE(watermarks.all().empty());
  watermarks.settled(std::vector{outbox.key(1)});  // handed over; the event is still pending
  watermarks.add(0);
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{1});
}

TEST(Watermarks, EachCommittedEventIsTakenOnceInAnyOrderOfCommits) {
  std::mt19937 random(7);
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  for (int round = 0; round < 50; ++round) {
    Outbox outbox;
    Watermarks watermarks;
    watermarks.add(0);
    std::set<std::uint64_t> expected;
    std::map<std::uint64_t, Ids> drawn;
    Ids in_flight;
    std::multiset<std::uint64_t> taken;
    const auto end = [&](std::uint64_t xid, bool commits) {
      if (commits) expected.insert(drawn[xid].begin(), drawn[xid].end());
      commits ? outbox.commit(xid) : outbox.roll_back(xid);
    };
    const auto take = [&](std::size_t limit) {
      for (const auto id : take_scan(watermarks, outbox, limit, one_in(2))) {
        taken.insert(id);
        in_flight.push_back(id);
      }
    };
    const auto any_shard = [&] { return static_cast<std::int16_t>(random() % 3); };
    const auto any_business = [&] { return static_cast<std::uint8_t>(random() % 2); };
    const auto draw = [&](std::uint64_t xid) {
      const auto shard = any_shard();
      drawn[xid].push_back(outbox.draw(xid, shard, any_business()));
    };
    for (int step = 0; step < 200; ++step) {
      if (one_in(2)) draw(outbox.begin());
      for (const auto xid : outbox.open_transactions()) {
        if (one_in(6)) draw(xid);
        if (one_in(8)) end(xid, !one_in(4));
      }
      for (const std::int16_t shard : watermarks.cut_off()) {
        if (one_in(2)) watermarks.separate(business_of(shard, any_business()), shard, {});
      }
      std::set<Guid> full;
      for (const Guid& business : watermarks.separated()) {
        if (one_in(2)) full.insert(business);
      }
      watermarks.leave_out({}, std::move(full));
      if (step == 50) watermarks.add(1);
      if (step == 100) watermarks.add(2);
      outbox.let_pass(milliseconds(random() % 60));
      take(1 + random() % 5);
      for (const auto id : std::exchange(in_flight, {})) {
        if (one_in(3)) {
          in_flight.push_back(id);
          continue;
        }
        watermarks.settled(std::vector{outbox.key(id)});
        outbox.record(id);
      }
    }
    for (const auto xid : outbox.open_transactions()) end(xid, true);
    watermarks.leave_out({}, {});
    for (int i = 0; i < 3; ++i) take(no_limit);
    EXPECT_FALSE(watermarks.has_missed());
    EXPECT_EQ(taken, std::multiset<std::uint64_t>(expected.begin(), expected.end())) << "round " << round;
  }
}

std::size_t orphans_of(const std::vector<storage::PendingEvent>& events) {
  return static_cast<std::size_t>(std::ranges::count(events, true, &storage::PendingEvent::orphan));
}

TEST(Watermarks, AScanThatLeavesAShardOutLosesNoneOfItsEvents) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0);
  watermarks.add(1);
  const auto first = outbox.insert(0);
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{first});
  watermarks.leave_out({0});
  EXPECT_TRUE(watermarks.in_flight().empty()) << "a scan need not leave out what it does not read";
  const auto unseen = outbox.insert(0);
  const auto other = outbox.insert(1);
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{other});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(take_scan(watermarks, outbox), Ids{});
  watermarks.leave_out({});
  EXPECT_EQ(take_scan(watermarks, outbox), Ids{unseen});
}

TEST(Watermarks, EventsBeforeTheFirstScanOfAnOrphanedShardAreOrphans) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0, true);
  watermarks.add(1);
  outbox.insert(0);
  outbox.insert(1);
  outbox.insert(0);
  EXPECT_EQ(orphans_of(watermarks.take(outbox.scan(watermarks, no_limit), no_limit, no_limit)), 2U);
  outbox.insert(0);
  EXPECT_EQ(orphans_of(watermarks.take(outbox.scan(watermarks, no_limit), no_limit, no_limit)), 0U);
}

TEST(Watermarks, OrphansOfASeparatedBusinessAreFoundAfterNewerEventsOfItsShard) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0, true);
  for (int i = 0; i < 3; ++i) outbox.insert();
  const auto orphans = [&] { return orphans_of(watermarks.take(outbox.scan(watermarks, 1), 1, 1)); };
  EXPECT_EQ(orphans(), 1U);
  watermarks.separate(business_of(0, 0), 0, {});
  watermarks.leave_out({}, {business_of(0, 0)});
  outbox.insert(0, 1);
  EXPECT_EQ(orphans(), 0U);
  watermarks.leave_out({}, {});
  EXPECT_EQ(orphans(), 1U);
  EXPECT_EQ(orphans(), 1U);
}

TEST(Watermarks, OrphansAreLimitedToTheMemoryOfAWorker) {
  Outbox outbox;
  Watermarks watermarks;
  watermarks.add(0, true);
  constexpr std::size_t events = Watermarks::max_orphans + 10;
  for (std::size_t i = 0; i < events; ++i) outbox.insert(0);
  EXPECT_EQ(orphans_of(watermarks.take(outbox.scan(watermarks, events), events, events)),
            Watermarks::max_orphans);
}

}  // namespace
}  // namespace waybill::worker
