#include "connectors/shopify/changes.hpp"

#include <algorithm>
#include <utility>

#include "connectors/connector.hpp"

namespace waybill::connectors {
namespace {

// The most passes to the end of a store that changes all the time; the next sweep finds the rest.
constexpr std::size_t most_passes = 10;

StoreError repeated_cursor() {
  return {StoreProblem::busy,
          "The store's list does not end: a page names itself or an earlier one as the next."};
}

Time second_of(Time time) { return std::chrono::floor<std::chrono::seconds>(time); }

}  // namespace

void SecondReadings::read_again() {
  rows_before_ = std::exchange(rows_, {});
  was_over_ = is_over_;
}

ShopifyChanges::ShopifyChanges(std::optional<Time> since) {
  if (since) from_ = second_of(*since);
}

std::string ShopifyChanges::filter() const {
  if (!from_) return {};
  // Without quotes, Shopify compares only the day.
  return "updated_at:>='" + format_timestamp(*from_).substr(0, 19) + "Z'";
}

bool ShopifyChanges::is_new(const Row& row) {
  if (!row.changed_at) return seen_undated_.insert(row.id).second;
  return seen_.emplace(*row.changed_at, row.id).second;
}

void ShopifyChanges::move_to(std::optional<Time> second) {
  after_.reset();
  cursors_.clear();
  second_.clear();
  if (!second || (from_ && *second <= *from_)) return;
  from_ = second;
  if (certain_) reached_ = second;
  seen_.erase(seen_.begin(), seen_.lower_bound({*second, std::string()}));
}

// Rows after the second may have been shifted past the cursor, too, so they are requested again. Rows may
// have been added before the cursor to a second that was not over, so the next sweep begins there.
void ShopifyChanges::leave_second() {
  certain_ = certain_ && second_.was_over();
  move_to(*from_ + std::chrono::seconds(1));
}

std::vector<bool> ShopifyChanges::take(const std::vector<Row>& rows, const std::optional<std::string>& next) {
  std::vector<bool> fresh;
  std::optional<Time> last;
  for (const Row& row : rows) {
    fresh.push_back(is_new(row));
    if (fresh.back()) new_in_pass_ = true;
    if (!row.changed_at) continue;
    last = std::max(last.value_or(Time::min()), second_of(*row.changed_at));
    if (from_ && second_of(*row.changed_at) == *from_) second_.add(row.id);
  }
  const bool later = last && (!from_ || *last > *from_);
  if (later) second_.end();
  if (next && !later) {
    if (!cursors_.insert(*next).second) throw repeated_cursor();
    after_ = next;
    return fresh;
  }
  const bool by_cursor = after_ && from_;
  const bool unsure = by_cursor && second_.differ();
  if (!next && !by_cursor) {
    ended_ = !new_in_pass_ || ++passes_ >= most_passes;
    new_in_pass_ = false;
  }
  if (unsure) {
    after_.reset();
    cursors_.clear();
    second_.read_again();
  } else if (by_cursor) {
    leave_second();
  } else {
    move_to(last);
  }
  return fresh;
}

}  // namespace waybill::connectors
