#include "worker/guard/blast_guard.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "storage/sql/workflows.sql.hpp"

namespace waybill::worker {
namespace {

constexpr Duration save_interval = std::chrono::minutes(1);
constexpr Duration limit_lifetime = std::chrono::minutes(1);
constexpr std::int64_t minutes_of_week = std::int64_t{7} * 24 * 60;

}  // namespace

struct BlastGuard::Group {
  Guid business_id;
  Guid workflow_id;
  std::vector<storage::Run*> runs;
  std::size_t allowed = SIZE_MAX;  // the number of first runs that are not held
};

void BlastGuard::watch(storage::Session& session, std::vector<MatchedEvent>& events) {
  std::unordered_map<Guid, Group> groups;
  std::vector<const storage::Run*> held;
  for (MatchedEvent& event : events) {
    for (PlannedRun& planned : event.runs) {
      const storage::RunKey& key = planned.run.key;
      if (planned.is_paused || pauses_.is_pausing(key.workflow_id)) {
        rates_.forget(key.workflow_id);  // after a resume, counting starts at zero
        held.push_back(&planned.run);
        continue;
      }
      Group& group = groups[key.workflow_id];
      group.business_id = key.business_id;
      group.workflow_id = key.workflow_id;
      group.runs.push_back(&planned.run);
    }
  }
  std::vector<PauseNotice> notices;
  for (auto& [workflow, group] : groups) {
    if (!is_on()) break;
    if (auto notice = examine(session, group)) notices.push_back(std::move(*notice));
  }
  for (PauseNotice& notice : notices) pauses_.pause(std::move(notice));
  if (!notices.empty()) pauses_.wait_briefly();

  const Time now = clock_.now();
  for (const storage::Run* run : held) counts_.held(run->key.business_id, run->key.workflow_id, 1);
  for (auto& [workflow, group] : groups) {
    const std::size_t allowed = std::min(group.allowed, group.runs.size());
    counts_.fired(group.business_id, workflow, static_cast<std::int64_t>(allowed));
    counts_.held(group.business_id, workflow, static_cast<std::int64_t>(group.runs.size() - allowed));
    if (group.allowed >= group.runs.size()) {
      for (const storage::Run* run : group.runs) rates_.fired(workflow, run->key.created_at);
      continue;
    }
    rates_.forget(workflow);
    limits_.erase(workflow);
    for (storage::Run* run : std::span(group.runs).subspan(group.allowed)) {
      if (run->state.status != storage::RunStatus::queued)
        continue;  // a waiting run is held when it becomes due
      run->state.status = storage::RunStatus::held;
      run->state.at = now;
    }
  }
}

/// Returns the notice if one of the group's runs exceeds the limit; the runs before it stay allowed.
std::optional<PauseNotice> BlastGuard::examine(storage::Session& session, Group& group) {
  MinuteCount minute = rates_.of(group.workflow_id);
  if (minute.total() + static_cast<std::int64_t>(group.runs.size()) <= options_.minimum) return std::nullopt;
  for (std::size_t i = 0; i < group.runs.size(); ++i) {
    const std::int64_t count = minute.add(group.runs[i]->key.created_at);
    if (count <= options_.minimum) continue;
    const auto known = limits_.find(group.workflow_id);
    if (known != limits_.end() && clock_.now() < known->second.valid_until && count <= known->second.count)
      continue;
    auto notice = notice_if_beyond(session, group, count);
    if (!notice) continue;
    group.allowed = i;
    return notice;
  }
  return std::nullopt;
}

std::optional<PauseNotice> BlastGuard::notice_if_beyond(storage::Session& session, const Group& group,
                                                        std::int64_t count) {
  const auto rows =
      session.run(sql::workflows::FiringRate{.business = group.business_id, .workflow = group.workflow_id});
  const auto found = rows.find();
  // Without a row, the workflow has been paused or deleted and has no limit.
  std::int64_t limit = INT64_MAX;
  if (found) {
    const bool overflows = found->weekly > INT64_MAX / options_.factor;
    limit =
        std::max(options_.minimum, overflows ? INT64_MAX : options_.factor * found->weekly / minutes_of_week);
  }
  limits_[group.workflow_id] = {limit, clock_.now() + limit_lifetime};
  if (!found || count <= limit) return std::nullopt;
  return PauseNotice{.business_id = group.business_id,
                     .workflow_id = group.workflow_id,
                     .epoch = static_cast<std::uint64_t>(found->epoch),
                     .workflow_name = std::string(found->name),
                     .business_name = std::string(found->business_name),
                     .contacts = std::string(found->contacts.value_or("")),
                     .reason = "it fired " + std::to_string(count) + " times within a minute, more than " +
                               std::to_string(options_.factor) + " times its rate of the last 7 days"};
}

void BlastGuard::save_now(storage::Session& session) {
  const Time now = clock_.now();
  next_save_ = now + save_interval;
  rates_.forget_idle(now);
  std::erase_if(limits_, [&](const auto& entry) { return entry.second.valid_until <= now; });
  counts_.save(session);
}

}  // namespace waybill::worker
