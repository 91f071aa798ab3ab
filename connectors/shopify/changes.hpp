#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace waybill::connectors {

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
  /// row whether it is new.
  std::vector<bool> take(const std::vector<Row>& rows, const std::optional<std::string>& next);

  bool ended() const { return ended_; }
  /// All changes before this time have certainly been returned; nullopt if none is certain yet.
  std::optional<Time> reached() const { return reached_; }

 private:
  bool is_new(const Row& row);
  void move_to(std::optional<Time> second);
  void read_second_again();
  void leave_second();

  std::optional<Time> from_;
  std::optional<std::string> after_;
  std::optional<Time> reached_;
  std::set<std::pair<Time, std::string>> seen_;  // rows of `from_` and later
  std::set<std::string> seen_undated_;
  std::set<std::string> second_;         // the rows of the second `from_` in this reading
  std::set<std::string> second_before_;  // the same in the reading before
  bool is_over_ = false;                 // a later row followed that second
  bool was_over_ = false;                // the same when this reading began
  bool certain_ = true;                  // `reached_` may increase
  bool new_in_pass_ = false;             // a row was new since the last end of the list
  std::size_t passes_ = 0;
  bool ended_ = false;
};

}  // namespace waybill::connectors
