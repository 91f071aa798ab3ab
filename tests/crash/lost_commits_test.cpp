#include <atomic>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/crash/faults.hpp"
#include "tests/crash/stack.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/receiver.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t writer_count = 4;
constexpr std::size_t changes_of_a_crash = 400;
constexpr std::size_t webhooks_of_a_crash = 20;  // in flight when PostgreSQL is killed
/// The commits of the writers and the requests of the receiver. Each commit inserts an order with a unique
/// text, its mark. Thread-safe.
class Books {
 public:
  void wrote(std::string mark, std::int64_t event_id) {
    const std::lock_guard lock(mutex_);
    event_of_mark_.emplace(std::move(mark), event_id);
  }
  void received(std::string mark, std::string webhook_id) {
    const std::lock_guard lock(mutex_);
    ids_of_mark_[std::move(mark)].insert(std::move(webhook_id));
  }
  std::size_t written() const {
    const std::lock_guard lock(mutex_);
    return event_of_mark_.size();
  }
  std::size_t sent() const {
    const std::lock_guard lock(mutex_);
    return ids_of_mark_.size();
  }

  /// Compares with the database, which has come to rest; a difference is a failure of the test. Prints the
  /// figures as one line.
  void check(Session& database, std::uint64_t crashes) const {
    const std::map<std::string, std::int64_t> events = events_in(database);
    const std::lock_guard lock(mutex_);
    std::set<std::string> unfired;
    for (const auto& [mark, id] : events) {
      if (!ids_of_mark_.contains(mark)) unfired.insert(mark);
    }
    EXPECT_TRUE(unfired.empty()) << unfired.size() << " events never fired, such as " << *unfired.begin();
    check_webhook_ids();
    const auto count = static_cast<std::int64_t>(events.size());
    EXPECT_EQ(database.number("select count(*) from events"), count) << "one event of each mark";
    EXPECT_EQ(database.number("select count(*) from all_runs"), count) << "one run of each event, no other";
    EXPECT_EQ(database.number("select count(distinct event_id) from all_runs"), count);
    EXPECT_EQ(database.number("select count(*) from all_runs where status <> 'succeeded'"), 0);
    const Reuse ids = reuse(events);
    EXPECT_GT(ids.reused_and_sent, 0U) << "no id was reused while in flight: the test shows nothing";
    std::cout << crashes << " crashes; " << count << " events, " << count - std::ssize(unfired) << " fired; "
              << ids.lost << " commits lost, " << ids.sent << " of them with a webhook sent; " << ids.reused
              << " ids used again, " << ids.reused_and_sent << " of them while in flight\n";
  }

  /// True if an event got the id of a lost event whose webhook was in flight.
  bool shows_reuse(Session& database) const {
    const std::map<std::string, std::int64_t> events = events_in(database);
    const std::lock_guard lock(mutex_);
    return reuse(events).reused_and_sent > 0;
  }

 private:
  void check_webhook_ids() const {
    std::set<std::string> ids;
    for (const auto& [mark, of_mark] : ids_of_mark_) {
      EXPECT_EQ(of_mark.size(), 1U) << mark << " was sent under several ids";
      for (const std::string& id : of_mark) EXPECT_TRUE(ids.insert(id).second) << id << " of two events";
    }
  }

  /// Ids of events by mark.
  static std::map<std::string, std::int64_t> events_in(Session& database) {
    std::map<std::string, std::int64_t> events;
    for (const auto& row : database.rows("select (order_after).notes, id from events")) {
      events.emplace(row.at(0).value_or(""), std::stoll(row.at(1).value_or("")));
    }
    return events;
  }

  struct Reuse {
    std::size_t lost = 0;             // lost commits
    std::size_t sent = 0;             // those whose webhook was sent
    std::size_t reused = 0;           // those whose event id a later event has
    std::size_t reused_and_sent = 0;  // both
  };
  Reuse reuse(const std::map<std::string, std::int64_t>& events) const {
    std::set<std::int64_t> ids;
    for (const auto& [mark, id] : events) ids.insert(id);
    Reuse counts;
    for (const auto& [mark, id] : event_of_mark_) {
      if (events.contains(mark)) continue;
      const bool was_sent = ids_of_mark_.contains(mark);
      const bool is_reused = ids.contains(id);
      ++counts.lost;
      counts.sent += was_sent ? 1 : 0;
      counts.reused += is_reused ? 1 : 0;
      counts.reused_and_sent += was_sent && is_reused ? 1 : 0;
    }
    return counts;
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> event_of_mark_;
  std::map<std::string, std::set<std::string>> ids_of_mark_;
};

/// Sessions that insert orders without waiting for the disk, until PostgreSQL is killed or they are stopped.
class HastyWriters {
 public:
  HastyWriters(const Stack& stack, Books& books, const std::string& business, const std::string& name) {
    for (std::size_t i = 0; i < writer_count; ++i) {
      threads_.emplace_back([this, &stack, &books, business, prefix = name + "-" + std::to_string(i) + "-"] {
        try {
          Session session = stack.connect();
          session.exec("set synchronous_commit = off");
          for (int n = 0; !stopped_; ++n) {
            const std::string mark = prefix + std::to_string(n);
            session.exec("insert into orders (business_id, order_number, notes) values ('" + business +
                         "', '" + mark + "', '" + mark + "')");
            books.wrote(mark, session.number("select currval('event_ids')"));
          }
        } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): PostgreSQL was killed
        }
      });
    }
  }
  ~HastyWriters() { stopped_ = true; }
  HastyWriters(const HastyWriters&) = delete;
  HastyWriters& operator=(const HastyWriters&) = delete;

 private:
  std::atomic<bool> stopped_ = false;
  std::vector<std::jthread> threads_;
};

void set_synchronous_commit(const Stack& stack, bool on) {
  Session session = stack.connect();
  session.exec(std::string("alter system set synchronous_commit = ") + (on ? "on" : "off"));
  session.exec("select pg_reload_conf()");
}

/// Opens the last gate although an assertion failed, because the receiver's threads wait for it.
struct OpensGate {
  explicit OpensGate(const std::shared_ptr<Gate>& last) : gate(last) {}
  ~OpensGate() { gate->open(); }
  OpensGate(const OpensGate&) = delete;
  OpensGate& operator=(const OpensGate&) = delete;
  const std::shared_ptr<Gate>& gate;
};

// WAYBILL_CRASH_LOSSES makes the test longer. A crash may lose no commit whose webhook is in flight, so up to
// six further crashes follow until an event has the id of such a lost event.
TEST(CrashOfCommits, EventsWithTheIdsOfLostCommitsFire) {
  const std::uint64_t crashes = from_environment("WAYBILL_CRASH_LOSSES", 2);
  const std::uint64_t most_crashes = crashes + 6;
  Books books;
  std::mutex mutex;
  auto gate = std::make_shared<Gate>();
  Receiver receiver;
  receiver.on_request([&](const Received& request) {
    books.received(text_at(request.json_body(), "data.entity.notes"), request.header("webhook-id"));
    const std::lock_guard lock(mutex);
    return Reply::after(gate);
  });
  const OpensGate opens_gate(gate);
  Stack stack(crash_seed());
  const std::string business = [&] {
    Tenant tenant(stack.up(), "hasty");
    tenant.webhook(receiver.url("/hook"), "order_created");
    return tenant.id;
  }();

  const auto come_to_rest = [&] {
    Session database = stack.connect();
    return eventually(
        [&] {
          return database.number(
                     "select (select count(*) from pending_events) + "
                     "(select count(*) from run_queue)") == 0;
        },
        recovery_limit);
  };
  std::uint64_t crash = 0;
  const auto shows_reuse = [&] {
    Session database = stack.connect();
    return books.shows_reuse(database);
  };
  for (; crash < crashes || (crash < most_crashes && !shows_reuse()); ++crash) {
    ASSERT_TRUE(come_to_rest());
    {
      const std::lock_guard lock(mutex);
      gate = std::make_shared<Gate>();
    }
    {
      const HastyWriters writers(stack, books, business, "lost-" + std::to_string(crash));
      const std::size_t written = books.written() + changes_of_a_crash;
      const std::size_t sent = books.sent() + webhooks_of_a_crash;
      // Every other time, the worker's commits do not wait for the disk either.
      set_synchronous_commit(stack, crash % 2 == 0);
      stack.stop_wal_writer();
      ASSERT_TRUE(eventually([&] { return books.written() >= written && books.sent() >= sent; }));
      stack.crash_postgres();
    }
    // Some webhooks of lost events end before the ids are assigned again, others after that.
    if (crash % 4 >= 2) gate->open();
    {
      const HastyWriters writers(stack, books, business, "new-" + std::to_string(crash));
      const std::size_t written = books.written() + 2 * changes_of_a_crash;
      ASSERT_TRUE(eventually([&] { return books.written() >= written; }));
    }
    gate->open();
  }
  ASSERT_TRUE(come_to_rest());
  Session database = stack.connect();
  books.check(database, crash);
}

}  // namespace
}  // namespace waybill::tests
