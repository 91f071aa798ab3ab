#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/customers/erasure_steps.hpp"
#include "api/customers/person.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::api {

using Guids = std::span<const Guid>;
using Times = std::span<const Time>;

/// Records, each with a time in which it was the person's. Without times, each always was.
struct Records {
  Guids guids;
  Times firsts;
  Times lasts;

  Records part(std::size_t begin, std::size_t size) const {
    const auto count = std::min(size, guids.size() - begin);
    return {.guids = guids.subspan(begin, count),
            .firsts = firsts.empty() ? firsts : firsts.subspan(begin, count),
            .lasts = lasts.empty() ? lasts : lasts.subspan(begin, count)};
  }
};

/// Records that were the person's and are not any more, with one entry for each time in which a record was.
struct LeftRecords {
  std::vector<Guid> guids;
  std::vector<Time> firsts;
  std::vector<Time> lasts;

  Records all() const { return {.guids = guids, .firsts = firsts, .lasts = lasts}; }
};

/// A step that calls `work(session, portion)` for portions of records.
template <typename Work>
Step for_portions(std::function<Records()> records, Work work) {
  return [records = std::move(records), work, begin = std::size_t(0)](storage::Session& session,
                                                                      std::size_t size) mutable {
    const Records all = records();
    if (begin >= all.guids.size()) return false;
    work(session, all.part(begin, size));
    begin += size;
    return begin < all.guids.size();
  };
}

/// A step that pages through what belongs to records: `work(session, portion, after, size)` processes at most
/// `size` rows after `after` and returns how many there were and the last of them.
template <typename Place, typename Work>
Step for_pages(std::function<Records()> records, Work work) {
  return [records = std::move(records), work, begin = std::size_t(0), after = Place()](
             storage::Session& session, std::size_t size) mutable {
    constexpr std::size_t records_of_page = 100;
    const Records all = records();
    if (begin >= all.guids.size()) return false;
    const auto [count, last] = work(session, all.part(begin, records_of_page), after, size);
    after = last;
    if (static_cast<std::size_t>(count) < size) {
      begin += records_of_page;
      after = Place();
    }
    return begin < all.guids.size();
  };
}

/// Finds the records of a person's customers, and those that were the person's.
class RecordSearch {
 public:
  /// `customers` must outlive the search, and be known when its steps begin.
  RecordSearch(const Guid& business, const std::vector<Guid>& customers)
      : business_(business), customers_(&customers) {}

  /// Returns the steps of a search. `unlinked` are shipments that count as the person's, null for none. The
  /// search must outlive the steps.
  std::vector<Step> steps(const std::vector<Guid>* unlinked);

  const CustomerRecords& own() const { return own_; }
  const LeftRecords& left() const { return left_; }

 private:
  using LeftTime = std::tuple<Guid, Time, Time>;  // a record, and the first and the last time

  bool finish_own(const std::vector<Guid>* unlinked);
  bool add_shipments_of_orders(storage::Session& session, std::size_t size);
  bool add_left(storage::Session& session, std::size_t size);
  bool add_left_own_orders(storage::Session& session, std::size_t size);
  bool add_of_left_orders(storage::Session& session, std::size_t size);
  bool limit_times(storage::Session& session, std::size_t size);
  void add_time(const Guid& record, Time first, Time last);

  Guid business_;
  const std::vector<Guid>* customers_;
  CustomerRecords own_;
  LeftRecords left_;

  // The state of a search under way.
  std::vector<Guid> direct_shipments_;
  std::unordered_set<Guid> all_own_;
  std::multimap<Guid, std::pair<Time, Time>> left_orders_;
  std::vector<Guid> guids_of_left_orders_;
  std::set<LeftTime> found_;
  std::vector<LeftTime> times_;
  std::int64_t last_left_ = 0;
  std::size_t begin_ = 0;  // of the next portion
};

}  // namespace waybill::api
