#include "storage/runs/ended_runs.hpp"

#include <algorithm>

namespace waybill::storage {

void EndedRuns::add(const Guid& workflow, const Guid& record, std::uint64_t event) {
  std::uint64_t& latest = at({workflow, record});
  latest = std::max(latest, event);
}

std::optional<std::uint64_t> EndedRuns::latest(const Guid& workflow, const Guid& record) {
  const Key key(workflow, record);
  if (!recent_.contains(key) && !older_.contains(key)) return std::nullopt;
  return at(key);
}

/// Returns the event of a pair, which becomes a recent one; a new pair has the event 0.
std::uint64_t& EndedRuns::at(const Key& key) {
  if (const auto found = recent_.find(key); found != recent_.end()) return found->second;
  const auto older = older_.find(key);
  const std::uint64_t event = older == older_.end() ? 0 : older->second;
  if (recent_.size() >= limit_) {
    older_ = std::move(recent_);
    recent_.clear();
  }
  return recent_.emplace(key, event).first->second;
}

void EndedRuns::clear() {
  recent_.clear();
  older_.clear();
}

}  // namespace waybill::storage
