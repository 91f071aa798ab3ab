#include "worker/events/event_intake.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "tests/worker/worker_parts.hpp"

namespace waybill::tests {
namespace {

/// An intake with the first 8 000 pending events of a business, and no pump: the test calls it instead.
class EventIntake : public WorkerParts {
 protected:
  static constexpr std::size_t backlog = 8000;

  EventIntake() {
    workflows_.follow_now(session_);
    intake_.hold(all_shards());
    intake_.follow_leases(session_);
    add_events(business_, backlog, "now() - interval '1 hour'");
  }

  void add_events(const Guid& business, std::size_t count, const std::string& at = "now()") {
    database_.rows(
        "insert into pending_events (shard, id, business_id, at) select shard_of($1), "
        "nextval('event_ids'), $1, " +
            at + " + n * interval '1 microsecond' from generate_series(1, $2::int) n",
        {business.to_string(), std::to_string(count)});
  }
  void look() { intake_.look(session_, workflows_, system_clock().now()); }
  std::vector<storage::PendingEvent> take(std::size_t most) { return intake_.take(most, workflows_); }
  /// Takes events and records them. Returns their ids.
  std::set<std::uint64_t> finish(std::size_t most) {
    std::set<std::uint64_t> ids;
    std::vector<storage::EventKey> keys;
    std::string list = "{";
    for (const storage::PendingEvent& event : take(most)) {
      keys.push_back(event.key());
      EXPECT_TRUE(ids.insert(event.id).second);
      list += (list.size() > 1 ? "," : "") + std::to_string(event.id);
    }
    database_.rows("delete from pending_events where id = any ($1::bigint[])", {list + "}"});
    intake_.settled(keys);
    return ids;
  }

  /// A business of the same shard.
  const Guid neighbour_ =
      Guid::parse(database_.value("select guid from (select gen_random_uuid() as guid from "
                                  "generate_series(1, 1000)) g where shard_of(guid) = shard_of($1) limit 1",
                                  {business_.to_string()}))
          .value();
  worker::WorkflowLoader loader_{database_.url(), catalogue_, [] {}};
  worker::WorkflowFollower workflows_{catalogue_, pauses_, loader_};
  storage::Session session_{database_.url(), "test"};
  worker::EventIntake intake_{{.worker = worker_}, system_clock().now()};
};

// The open transaction keeps the watermarks from moving for a moment, so everything that was read is compared
// again.
TEST_F(EventIntake, ABacklogDoesNotHideTheEventsOfOtherBusinessesOfItsShard) {
  Session writer = database_.connect();
  writer.exec("begin; select pg_current_xact_id()");
  look();
  for (int i = 0; i < 3; ++i) {
    add_events(neighbour_, 1);
    // After a long look, the next one waits.
    EXPECT_TRUE(eventually([&] {
      look();
      return std::ranges::count(take(10), neighbour_, &storage::PendingEvent::business_id) == 1;
    }));
  }
}

TEST_F(EventIntake, EachEventOfABacklogIsTakenOnceAndInOrder) {
  std::vector<std::uint64_t> ids;
  EXPECT_TRUE(eventually([&] {
    look();
    const auto part = finish(700);
    ids.insert(ids.end(), part.begin(), part.end());
    return ids.size() >= backlog;
  }));
  EXPECT_TRUE(std::ranges::is_sorted(ids, std::less_equal<>()));
  for (int i = 0; i < 3; ++i) look();
  EXPECT_TRUE(take(10).empty());
}

TEST_F(EventIntake, TheEventOfALongTransactionIsFoundBelowTheWatermark) {
  EXPECT_TRUE(eventually([&] {
    look();
    return finish(backlog).empty();
  }));
  Session writer = database_.connect();
  writer.exec("begin");
  const std::int64_t id = writer.number(
      "insert into pending_events (shard, id, business_id, at) "
      "values (shard_of($1), nextval('event_ids'), $1, now()) returning id",
      {neighbour_.to_string()});
  add_events(business_, 1);
  const auto long_after = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  EXPECT_TRUE(eventually([&] {
    look();
    finish(backlog);
    return std::chrono::steady_clock::now() > long_after;
  }));
  const Time matched_before = intake_.matched_until();
  writer.exec("commit");
  look();
  EXPECT_TRUE(take(backlog).empty()) << "the watermark has passed over the transaction";
  EXPECT_LE(intake_.patience(std::chrono::seconds(1)), std::chrono::milliseconds(1));
  intake_.matched();
  EXPECT_EQ(intake_.matched_until(), matched_before) << "the event is not matched yet";
  look();
  const auto found = take(backlog);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().id, static_cast<std::uint64_t>(id));
}

TEST_F(EventIntake, ABacklogThatIsNotReadYetIsNotMatched) {
  look();
  while (!finish(1400).empty()) {
  }
  const Time unread = Time(Duration(
      database_.number("select min((extract(epoch from at) * 1000000)::bigint) from pending_events")));
  EXPECT_LE(intake_.matched_until(), unread);
}

}  // namespace
}  // namespace waybill::tests
