#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/outbox.hpp"
#include "storage/sync.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

// PostgreSQL logs a sequence 32 numbers ahead, and while it does so the row shows a number that nobody has
// drawn. Who takes it for drawn passes over the events that will have the numbers up to it.
TEST(OutboxScan, TellsNoNumberOfTheSequenceThatIsNotDrawnYet) {
  const TestDatabase database;
  std::atomic<bool> done = false;
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      Session session(database.url());
      while (!done) session.exec("select count(nextval('event_ids')) from generate_series(1, 400)");
    });
  }
  storage::Session reader(database.url(), "reader");
  Session drawer(database.url());
  int ahead = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto last = storage::Outbox(reader).scan({}, {}, 0, false).last_id;
    if (static_cast<std::uint64_t>(drawer.number("select nextval('event_ids')")) <= last) ++ahead;
  }
  done = true;
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(ahead, 0);
}

}  // namespace
}  // namespace waybill::tests
