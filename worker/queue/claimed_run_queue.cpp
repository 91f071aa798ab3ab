#include "worker/queue/claimed_run_queue.hpp"

#include <utility>

namespace waybill::worker {

bool ClaimedRunQueue::is_full(const Guid& business) const {
  const auto count = count_.find(business);
  return count != count_.end() && count->second >= most_of_a_business_;
}

std::vector<Guid> ClaimedRunQueue::full_businesses() const {
  std::vector<Guid> businesses;
  for (const auto& [business, count] : count_) {
    if (count >= most_of_a_business_) businesses.push_back(business);
  }
  return businesses;
}

void ClaimedRunQueue::push(storage::ClaimedRun run, Time now) {
  const Guid business = run.run.key.business_id;
  ++count_[business];
  runs_.push(business, {std::move(run), now});
}

storage::ClaimedRun ClaimedRunQueue::pop(Shares::Moment now) { return taken(runs_.pop(now)); }

std::vector<storage::ClaimedRun> ClaimedRunQueue::take_older(Time since) {
  std::vector<storage::ClaimedRun> older;
  for (Entry& entry : runs_.take_fronts([&](const Entry& waiting) { return waiting.since < since; }))
    older.push_back(taken(std::move(entry)));
  return older;
}

storage::ClaimedRun ClaimedRunQueue::taken(Entry entry) {
  const auto count = count_.find(entry.run.run.key.business_id);
  if (--count->second == 0) count_.erase(count);
  return std::move(entry.run);
}

}  // namespace waybill::worker
