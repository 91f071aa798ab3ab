#include "connectors/shopify_changes.hpp"

#include <algorithm>
#include <utility>

namespace waybill::connectors {
namespace {

// A store that changes without pause is read to its end often enough; the next sweep finds the rest.
constexpr std::size_t most_passes = 10;

Time second_of(Time time) { return std::chrono::floor<std::chrono::seconds>(time); }

}  // namespace

ShopifyChanges::ShopifyChanges(std::optional<Time> since) {
  if (since) from_ = second_of(*since);
}

std::string ShopifyChanges::filter() const {
  if (!from_) return {};
  // Without quotes Shopify compares the day alone.
  return "updated_at:>='" + format_timestamp(*from_).substr(0, 19) + "Z'";
}

bool ShopifyChanges::is_new(const Row& row) {
  if (!row.changed_at) return seen_undated_.insert(row.id).second;
  return seen_.emplace(*row.changed_at, row.id).second;
}

void ShopifyChanges::move_to(std::optional<Time> second) {
  after_.reset();
  second_.clear();
  second_before_.clear();
  if (!second || (from_ && *second <= *from_)) return;
  from_ = reached_ = second;
  seen_.erase(seen_.begin(), seen_.lower_bound({*second, std::string()}));
}

void ShopifyChanges::read_second_again() {
  after_.reset();
  second_before_ = std::exchange(second_, {});
}

// What follows the second may have been shifted past the cursor as well, so it is asked for anew. The second
// is over only when something followed it.
void ShopifyChanges::leave_second(bool is_over) {
  const auto reached = reached_;
  move_to(*from_ + std::chrono::seconds(1));
  if (!is_over) reached_ = reached;
}

std::vector<bool> ShopifyChanges::take(const std::vector<Row>& rows, const std::optional<std::string>& next) {
  std::vector<bool> fresh;
  std::optional<Time> last;
  for (const Row& row : rows) {
    fresh.push_back(is_new(row));
    if (fresh.back()) new_in_pass_ = true;
    if (!row.changed_at) continue;
    last = std::max(last.value_or(Time::min()), second_of(*row.changed_at));
    if (from_ && second_of(*row.changed_at) == *from_) second_.insert(row.id);
  }
  const bool later = last && (!from_ || *last > *from_);
  if (next && !later) {
    after_ = next;
    return fresh;
  }
  // A row that moves away between two pages of the second shifts another past the cursor, and is missing the
  // next time. So nothing was shifted when two readings are the same.
  const bool by_cursor = after_ && from_;
  const bool unsure = by_cursor && second_ != second_before_;
  if (!next && !by_cursor) {
    ended_ = !new_in_pass_ || ++passes_ >= most_passes;
    new_in_pass_ = false;
  }
  if (unsure) {
    read_second_again();
  } else if (by_cursor) {
    leave_second(later);
  } else {
    move_to(last);
  }
  return fresh;
}

}  // namespace waybill::connectors
