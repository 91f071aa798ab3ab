#include "app/node/database_keeper.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <prometheus/histogram.h>

#include "base/observe.hpp"
#include "storage/schema/partitions.hpp"
#include "storage/sql/duties.sql.hpp"
#include "storage/sql/search_indexes.sql.hpp"
#include "worker/duties/overdue.hpp"

namespace waybill::app {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto partitions_every = 1h;
constexpr Duration retry_delay = 10s;
constexpr auto takeover_every = 15s;  // attempts to merge while another process does
constexpr auto analyze_every = 1s;
constexpr auto turn_noted_every = 30s;  // so that the turn is not lost, and no row version for each merge
constexpr std::string_view merging = worker::merging_duty;
constexpr std::string_view analyzing = "analyze_grown_tables";

/// Without a limit, a merge does not end while writers add entries faster than it merges them, and no writer
/// merges while it runs. PostgreSQL removes entries from the list after each `maintenance_work_mem` of them,
/// so a merge that reaches the limit has removed most of what it read.
constexpr const char* limits = "set local statement_timeout = '5s'; set local maintenance_work_mem = '16MB'";

/// Returns the number of pages of the index that had the most.
std::int64_t merge_entries(storage::blocking::Connection& session) {
  return session.transact([](storage::blocking::Transaction& transaction) {
    transaction.execute(limits);
    return transaction.run(storage::sql::search_indexes::Merge{}).front().pages;
  });
}

}  // namespace

DatabaseKeeper::DatabaseKeeper(std::string database_url)
    : session_(std::move(database_url), "waybill upkeep"),
      loop_(
          ThreadKind::database_keeper,
          [this] { return Loop::Wait{std::chrono::ceil<Duration>(turn() - steady_clock::now())}; },
          [this](const std::exception& error) {
            disconnect();
            observe(Observable::database_unavailable, {{"error", std::string_view(error.what())}});
            return retry_delay;
          }) {}

/// Does what is due. Returns the time at which something is due again.
DatabaseKeeper::Moment DatabaseKeeper::turn() {
  session_.open();
  const Moment now = steady_clock::now();
  if (now >= partitions_due_) {
    make_partitions();
    partitions_due_ = now + partitions_every;
  }
  if (now >= merge_due_) merge_due_ = merge() + steady_clock::now();
  if (is_merger_ && now >= analyses_due_) analyses_due_ = analyze_grown_tables() + steady_clock::now();
  if (!is_merger_) disconnect();
  if (!is_merger_) return std::min(partitions_due_, merge_due_);
  return std::min({partitions_due_, merge_due_, analyses_due_});
}

void DatabaseKeeper::make_partitions() {
  try {
    storage::make_partitions(*session_);
  } catch (const storage::StatementError& error) {
    observe(Observable::partition_failed, {{"error", std::string_view(error.what())}});
  }
}

/// Merges if this process is the one that does. Returns the pause until the next merge.
Duration DatabaseKeeper::merge() {
  try {
    if (!is_merger_) {
      if (session_->run(storage::sql::duties::TakeTurn{.duty = merging}).empty()) return takeover_every;
      is_merger_ = true;
      turn_noted_ = Moment{};
    }
    const Moment started = steady_clock::now();
    const std::int64_t pages = merge_entries(*session_);
    const std::chrono::duration<double> seconds = steady_clock::now() - started;
    if (pages > 0) series(Histogram::duty_seconds, merging).Observe(seconds.count());
    if (steady_clock::now() >= turn_noted_ + turn_noted_every) {
      is_merger_ = !session_->run(storage::sql::duties::NoteTurn{.duty = merging}).empty();
      turn_noted_ = steady_clock::now();
    }
    pause_.merged(pages);
    return pause_.get();
  } catch (const storage::StatementError& error) {
    // A lock conflict passes: another session locks an index, for example to rebuild it.
    if (!is_lock_conflict(error)) {
      observe(Observable::duty_failed, {{"duty", merging}, {"error", std::string_view(error.what())}});
      disconnect();
    }
    return retry_delay;
  }
}

/// Returns the pause until the next call.
Duration DatabaseKeeper::analyze_grown_tables() {
  try {
    for (const auto& table : session_->run(storage::sql::duties::FindGrownTables{})) {
      const Moment started = steady_clock::now();
      session_->transact([&](storage::blocking::Transaction& transaction) {
        transaction.execute("set local default_statistics_target = 10");
        transaction.execute(std::string(table.command));
      });
      const std::chrono::duration<double> seconds = steady_clock::now() - started;
      series(Histogram::duty_seconds, analyzing).Observe(seconds.count());
    }
    return analyze_every;
  } catch (const storage::StatementError& error) {
    observe(Observable::duty_failed, {{"duty", analyzing}, {"error", std::string_view(error.what())}});
    return retry_delay;
  }
}

void DatabaseKeeper::disconnect() {
  session_.close();
  is_merger_ = false;
}

}  // namespace waybill::app
