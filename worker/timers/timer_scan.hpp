#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/session/session.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/threads/batch_size.hpp"

namespace waybill::worker {

/// Sets the timers of the records that exist when a workflow is made or its timer is changed, some at a time.
/// The database keeps the position of each such scan, so that a crash repeats one transaction at most.
/// Businesses take turns, so that a scan of millions of records delays no other. One thread.
class TimerScan {
 public:
  /// A transaction reads `most` records at most.
  TimerScan(const Catalogue& catalogue, std::size_t most);

  /// True if workflows have changed since the last call and some have timers: there may be a scan.
  bool follow_catalogue();
  /// Notes whether the database has a scan that is not over.
  void note(bool is_open) { is_open_ = is_open; }
  bool is_open() const { return is_open_; }

  struct Result {
    bool found = false;       // a scan that it could perform
    std::optional<Time> due;  // when the first of the timers that it set is due
  };
  /// Sets the timers of the next records of one workflow of these shards. Throws DatabaseUnavailable,
  /// StatementError or ColumnsChanged, after which nothing is half done.
  Result go_on(storage::Session& session, const std::vector<std::int16_t>& shards);

 private:
  std::optional<Time> set_timers(storage::Session& session, const Workflow& workflow, const Guid& position,
                                 std::optional<Time> since);

  const Catalogue& catalogue_;
  storage::CachedColumns columns_;
  BatchSize batch_;               // smaller after records that exceeded the bytes of a transaction
  Guid last_business_ = {};       // the one that had its turn
  std::uint64_t seen_epoch_ = 0;  // epoch of the catalogue
  bool is_open_ = false;
};

}  // namespace waybill::worker
