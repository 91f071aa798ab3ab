#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "api/customers/customer_erasure.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session/session.hpp"

namespace waybill::api {

using Guids = std::span<const Guid>;
using Times = std::span<const Time>;

/// Records, each with a time in which it was the person's; without times, it always was.
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

template <typename Work>
void for_portions(const Records& records, std::size_t size, Work work) {
  for (std::size_t begin = 0; begin < records.guids.size(); begin += size) work(records.part(begin, size));
}

/// Records that were the person's and are not any more. One that was so several times is there as often.
struct LeftRecords {
  std::vector<Guid> guids;
  std::vector<Time> firsts;
  std::vector<Time> lasts;

  Records all() const { return {.guids = guids, .firsts = firsts, .lasts = lasts}; }
};

/// The orders and shipments that were the customer's; `own` are those that are, and are not among them.
LeftRecords left_records(storage::Session& session, const Guid& business, const Guid& customer,
                         const CustomerRecords& own);

}  // namespace waybill::api
