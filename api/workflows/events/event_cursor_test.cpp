#include "api/workflows/events/event_cursor.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

/// Events with these ids, each with a time of its own.
std::vector<EventCursor::Passed> events(const std::vector<std::int64_t>& ids) {
  std::vector<EventCursor::Passed> result;
  result.reserve(ids.size());
  for (const std::int64_t id : ids) result.push_back({id, Time(std::chrono::seconds(id))});
  return result;
}

TEST(EventCursor, RoundTripsAsText) {
  EventCursor cursor;
  EXPECT_EQ(cursor.text(), "0");
  cursor.advance(FeedSnapshot::parse("5:9:5,7", "11"), events({3, 4}), true);
  EXPECT_EQ(cursor.text(), "4,0,4000000,5,0,7,0,9,0,10,0");
  EXPECT_EQ(EventCursor::parse(cursor.text())->text(), cursor.text());
  for (const char* text : {"", "x", "-1", "1,2", "1,2,x", "1,,3"})
    EXPECT_FALSE(EventCursor::parse(text)) << text;
}

TEST(EventCursor, KnowsTheTimeOfTheEventAtItsPosition) {
  EventCursor cursor;
  cursor.advance(FeedSnapshot::parse("9:9:", "9"), events({3, 4}), true);
  EXPECT_EQ(EventCursor::parse(cursor.text())->at(), Time(std::chrono::seconds(4)));
  cursor.advance(FeedSnapshot::parse("9:9:", "9"), {}, true);
  EXPECT_EQ(cursor.at(), Time(std::chrono::seconds(4)));
  cursor.rewind(2);
  EXPECT_EQ(cursor.position(), 2);
  EXPECT_FALSE(cursor.at());
  EXPECT_EQ(cursor.text(), "2");
}

TEST(EventCursor, ReadsTheCursorOfAnEarlierVersion) {
  const auto cursor = EventCursor::parse("4,5,0,7,2");
  ASSERT_TRUE(cursor);
  EXPECT_EQ(cursor->position(), 4);
  EXPECT_FALSE(cursor->at());
  EXPECT_EQ(cursor->text(), "4,5,0,7,2");
}

TEST(EventCursor, ATransactionThatWasRunningIsOwedFromThePositionBeforeThePage) {
  EventCursor cursor;
  cursor.advance(FeedSnapshot::parse("10:12:", "12"), events({1, 5}), true);
  cursor.advance(FeedSnapshot::parse("12:14:12", "14"), events({8}), true);
  EXPECT_EQ(cursor.position(), 8);
  EXPECT_TRUE(cursor.due(FeedSnapshot::parse("12:15:12", "15")).empty());
  const auto due = cursor.due(FeedSnapshot::parse("15:15:", "15"));
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due.front(), (EventCursor::Owed{12, 5}));
}

TEST(EventCursor, ATransactionThatTheServerHasNotBegunIsOver) {
  const auto cursor = EventCursor::parse("8,900,5").value();
  EXPECT_TRUE(cursor.due(FeedSnapshot::parse("800:900:", "900")).empty());
  const auto due = cursor.due(FeedSnapshot::parse("12:14:12", "15"));
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due.front(), (EventCursor::Owed{900, 5}));
}

TEST(EventCursor, MissingEventsThatFillAPageLeaveTheRestForTheNext) {
  EventCursor cursor;
  cursor.advance(FeedSnapshot::parse("7:8:7", "8"), events({9}), true);
  const auto over = FeedSnapshot::parse("8:8:", "8");
  cursor.advance(over, events({2, 3}), false);
  EXPECT_EQ(cursor.position(), 9);
  ASSERT_EQ(cursor.due(over).size(), 1U);
  EXPECT_EQ(cursor.due(over).front().low, 3);
  cursor.advance(over, events({5, 11}), false);
  EXPECT_EQ(cursor.position(), 11);
  EXPECT_TRUE(cursor.due(over).empty());
}

/// A database whose transactions draw ids, and commit or roll back in any order.
class Model {
 public:
  explicit Model(unsigned seed) : random_(seed) {}

  void step() {
    const int choice = pick(4);
    if (choice == 0 || open_.empty()) {
      open_[next_xid_++];
    } else if (choice <= 2) {
      any_open()->second.push_back(++last_id_);
    } else {
      const auto ended = any_open();
      last_over_ = std::max(last_over_, ended->first);
      if (pick(5) > 0) {
        for (const std::int64_t id : ended->second) visible_[id] = ended->first;
      }
      open_.erase(ended);
    }
  }

  /// As PostgreSQL: xmax is one more than the last transaction that is over, and later ones may be running.
  FeedSnapshot snapshot() {
    FeedSnapshot result{.xmax = last_over_ + 1, .running = {}, .drawn = 0};
    for (const auto& [xid, ids] : open_) {
      if (xid < result.xmax) result.running.push_back(xid);
    }
    result.drawn = next_xid_++;
    return result;
  }

  std::vector<std::int64_t> page(const EventCursor& cursor, const FeedSnapshot& snapshot,
                                 std::size_t limit) const {
    std::vector<std::int64_t> ids;
    for (const auto& [id, xid] : visible_) {
      bool wanted = id > cursor.position();
      for (const auto& owed : cursor.due(snapshot)) wanted = wanted || (owed.xid == xid && id > owed.low);
      if (wanted && ids.size() < limit) ids.push_back(id);
    }
    return ids;
  }

  void end_all() {
    while (!open_.empty()) {
      const auto ended = open_.begin();
      last_over_ = std::max(last_over_, ended->first);
      for (const std::int64_t id : ended->second) visible_[id] = ended->first;
      open_.erase(ended);
    }
  }

  const std::map<std::int64_t, std::uint64_t>& visible() const { return visible_; }
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

 private:
  std::map<std::uint64_t, std::vector<std::int64_t>>::iterator any_open() {
    return std::next(open_.begin(), pick(static_cast<int>(open_.size())));
  }

  std::mt19937 random_;
  std::map<std::uint64_t, std::vector<std::int64_t>> open_;  // ids drawn, by transaction
  std::map<std::int64_t, std::uint64_t> visible_;            // writers of committed events
  std::uint64_t next_xid_ = 3;
  std::uint64_t last_over_ = 2;
  std::int64_t last_id_ = 0;
};

TEST(EventCursor, EveryCommittedEventIsReadExactlyOnceHoweverTransactionsOverlap) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Model model(seed);
    EventCursor cursor;
    std::multiset<std::int64_t> read;
    const auto read_page = [&] {
      const auto snapshot = model.snapshot();
      const auto limit = 1 + static_cast<std::size_t>(model.pick(4));
      const auto ids = model.page(cursor, snapshot, limit);
      read.insert(ids.begin(), ids.end());
      cursor.advance(snapshot, events(ids), ids.size() < limit);
      cursor = EventCursor::parse(cursor.text()).value();
      return ids.size() == limit;
    };
    for (int i = 0; i < 200; ++i) {
      model.step();
      if (model.pick(4) == 0) read_page();
    }
    model.end_all();
    while (read_page()) continue;
    ASSERT_EQ(read.size(), model.visible().size()) << "seed " << seed;
    for (const auto& [id, xid] : model.visible())
      ASSERT_EQ(read.count(id), 1U) << "seed " << seed << " id " << id;
  }
}

}  // namespace
}  // namespace waybill::api
