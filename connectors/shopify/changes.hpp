#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace waybill::connectors {

/// Where a sweep over a list sorted by the time of change is. Each page is asked for by time, from the second
/// of the last row on, since a cursor can skip a row when rows move while they are read; a cursor is used
/// only within a second that has more rows than a page, and such a second is read again until it has the
/// same rows twice. At the end what changed since the last row is read again, until that is nothing. Copy it
/// to try a step. Pure.
class ShopifyChanges {
 public:
  struct Row {
    std::string id;
    std::optional<Time> changed_at;
  };

  /// From everything on, or from the second of this moment.
  explicit ShopifyChanges(std::optional<Time> since);

  /// The filter of the next page ("updated_at:>='2026-07-01T10:00:00Z'"); empty for all.
  std::string filter() const;
  /// The cursor of the next page.
  const std::optional<std::string>& after() const { return after_; }

  /// Takes the rows of the page that was asked for; `next` is the cursor behind it, if there is more. Tells
  /// of each row whether it is new.
  std::vector<bool> take(const std::vector<Row>& rows, const std::optional<std::string>& next);

  bool ended() const { return ended_; }
  /// What changed before it was given, as far as that is certain; nullopt while nothing is.
  std::optional<Time> reached() const { return reached_; }

 private:
  bool is_new(const Row& row);
  void move_to(std::optional<Time> second);
  void read_second_again();
  void leave_second();

  std::optional<Time> from_;
  std::optional<std::string> after_;
  std::optional<Time> reached_;
  std::set<std::pair<Time, std::string>> seen_;  // of `from_` and later
  std::set<std::string> seen_undated_;
  std::set<std::string> second_;         // the rows of the second `from_`, as it is read now
  std::set<std::string> second_before_;  // and as it was read the time before
  bool is_over_ = false;                 // something followed that second
  bool was_over_ = false;                // already when this reading began
  bool certain_ = true;                  // `reached_` may go on
  bool new_in_pass_ = false;             // since the list was last asked for from its start
  std::size_t passes_ = 0;
  bool ended_ = false;
};

}  // namespace waybill::connectors
