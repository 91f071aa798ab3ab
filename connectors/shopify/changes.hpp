#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace waybill::connectors {

/// The readings of one second of a list by cursor. A row that leaves the second between two of its pages
/// shifts another row past the cursor, and is missing in the next reading; so nothing was shifted if two
/// readings are the same. Pure.
class SecondReadings {
 public:
  /// Notes a row of the second in this reading.
  void add(const std::string& id) { rows_.insert(id); }
  /// Notes that a later row followed the second: it is over.
  void end() { is_over_ = true; }

  /// True if this reading differs from the one before.
  bool differ() const { return rows_ != rows_before_ || (is_over_ && !was_over_); }
  /// True if the second was over when this reading began.
  bool was_over() const { return was_over_; }

  /// Begins another reading of the same second.
  void read_again();
  /// Begins the first reading of another second.
  void clear() { *this = SecondReadings(); }

 private:
  std::set<std::string> rows_;         // in this reading
  std::set<std::string> rows_before_;  // in the reading before
  bool is_over_ = false;
  bool was_over_ = false;
};

/// The position of a sweep over a list sorted by the time of change. Each page is requested by time, from the
/// second of the last row on, because a cursor can skip a row when rows move during the sweep. A cursor is
/// used only within a second that has more rows than a page; such a second is read until two readings have
/// the same rows. At the end, the rows changed since the last row are read until there are none. Copy the
/// object to attempt a step. Pure.
class ShopifyChanges {
 public:
  struct Row {
    std::string id;
    std::optional<Time> changed_at;
  };

  /// Begins at the second of `since`, or with the first row if it is nullopt.
  explicit ShopifyChanges(std::optional<Time> since);

  /// The filter of the next page ("updated_at:>='2026-07-01T10:00:00Z'"); empty for all rows.
  std::string filter() const;
  /// The cursor of the next page.
  const std::optional<std::string>& after() const { return after_; }

  /// Takes the rows of the requested page; `next` is the cursor after it, if there is more. Returns for each
  /// row whether it is new. Throws StoreError busy if the store repeats a cursor, which would never end.
  std::vector<bool> take(const std::vector<Row>& rows, const std::optional<std::string>& next);

  bool ended() const { return ended_; }
  /// All changes before this time have certainly been returned; nullopt if none is certain yet.
  std::optional<Time> reached() const { return reached_; }

 private:
  bool is_new(const Row& row);
  void move_to(std::optional<Time> second);
  void leave_second();

  std::optional<Time> from_;
  std::optional<std::string> after_;
  std::optional<Time> reached_;
  std::set<std::pair<Time, std::string>> seen_;  // rows of `from_` and later
  std::set<std::string> seen_undated_;
  std::set<std::string> cursors_;  // of this reading of the second `from_`
  SecondReadings second_;          // those of the second `from_`
  bool certain_ = true;            // `reached_` may increase
  bool new_in_pass_ = false;       // a row was new since the last end of the list
  std::size_t passes_ = 0;
  bool ended_ = false;
};

}  // namespace waybill::connectors
