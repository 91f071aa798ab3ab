#include "worker/timers/due_digests.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <unordered_set>

#include "base/observe.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/sql/digests.sql.hpp"
#include "storage/statement/binary.hpp"
#include "worker/planning/run_origins.hpp"
#include "worker/timers/pace.hpp"

namespace waybill::worker {
namespace {

constexpr Duration idle_look_every = std::chrono::seconds(5);  // without workflows with a digest, and digests
constexpr std::int64_t digests_of_shard = 16;                  // whose businesses have a turn
constexpr std::int64_t most_of_business = 32;                  // digests in one transaction
constexpr std::int64_t most_list_bytes = std::int64_t{16} << 20U;  // of the lists of one transaction
constexpr std::int64_t most_of_changed = 500;  // digests of changed workflows in one transaction
constexpr std::size_t businesses_of_round = 256;

}  // namespace

/// A locked digest that is due.
struct DueDigests::Claimed {
  DueDigest digest;
  bool is_deleted;  // its workflow
};

/// Names digests in a statement.
struct DueDigests::Keys {
  std::vector<Guid> businesses, digests;

  void add(const DueDigest& digest) {
    businesses.push_back(digest.business_id);
    digests.push_back(digest.guid);
  }
};

struct DueDigests::Plan {
  Keys dropped, postponed, behind, closed;
  std::vector<MatchedEvent> runs = std::vector<MatchedEvent>(1);  // of the closed ones
};

DueDigests::DueDigests(const Guid& worker, const EventIntake& intake, const Catalogue& catalogue,
                       WorkflowFollower& workflows, BlastGuard& guard, const Clock& clock)
    : worker_(worker),
      intake_(intake),
      catalogue_(catalogue),
      workflows_(workflows),
      guard_(guard),
      clock_(clock) {}

bool DueDigests::note_due(std::optional<Time> due) {
  return due && noted_due_.note(std::min(*due, clock_.now() + look_every));
}

Time DueDigests::next_look() const { return std::min(next_look_, noted_due_.earliest()); }

bool DueDigests::work(storage::Session& session) {
  const Time now = clock_.now();
  if (now < next_look()) return false;
  const std::vector<std::int16_t> shards = intake_.shards();
  noted_due_.begin_look();
  next_look_ = now + (catalogue_.has_digests() ? look_every : idle_look_every);
  if (shards.empty()) return false;
  const bool knew_changes = has_changed_;
  if (close_some(session, shards) || close_changed(session, shards)) {
    next_look_ = now;
    return true;
  }
  const auto found = session
                         .run(sql::digests::Look{.shards = storage::binary_array(shards),
                                                 .within = format_duration(look_every)})
                         .front();
  has_changed_ = found.has_closings;
  if (has_changed_ && !knew_changes) {
    next_look_ = now;
    return true;
  }
  if (has_changed_ || found.has_digests) next_look_ = std::min(next_look_, now + look_every);
  // If a due digest was not claimed, another session has locked it.
  if (found.wait_ms) {
    const Duration wait = std::chrono::milliseconds(*found.wait_ms);
    next_look_ = std::min(next_look_, now + std::max(wait, due_again_after));
  }
  return false;
}

/// Closes some due digests. Returns true if there may be more.
bool DueDigests::close_some(storage::Session& session, const std::vector<std::int16_t>& shards) {
  if (had_turn_.size() >= businesses_of_round) had_turn_.clear();
  std::vector<std::int16_t> of_shards;
  std::vector<Guid> businesses;
  for (const auto& row : session.run(sql::digests::DueBusinesses{.shards = storage::binary_array(shards),
                                                                 .had_turn = storage::binary_array(had_turn_),
                                                                 .digests_of_shard = digests_of_shard})) {
    of_shards.push_back(row.shard);
    businesses.push_back(row.business_id);
  }
  if (businesses.empty()) {
    had_turn_.clear();
    return std::exchange(has_closed_, false);  // perhaps more of those that had a turn
  }
  storage::Work work(session);
  const std::vector<Claimed> claimed = claim(session, of_shards, businesses);
  if (!claimed.empty()) write(session, decide(session, claimed));
  work.commit();
  had_turn_.insert(had_turn_.end(), businesses.begin(), businesses.end());
  has_closed_ = has_closed_ || !claimed.empty();
  return true;
}

/// Makes some digests due whose workflow has changed. Returns true if it found any.
bool DueDigests::close_changed(storage::Session& session, const std::vector<std::int16_t>& shards) {
  if (!std::exchange(has_changed_, false)) return false;
  return session
             .run(sql::digests::CloseChanged{.shards = storage::binary_array(shards),
                                             .limit = most_of_changed})
             .front()
             .closed > 0;
}

/// Locks due digests. Those beyond the bytes of a transaction are left for the next one.
std::vector<DueDigests::Claimed> DueDigests::claim(storage::Session& session,
                                                   const std::vector<std::int16_t>& shards,
                                                   const std::vector<Guid>& businesses) {
  std::vector<Claimed> claimed;
  std::int64_t bytes = 0;
  std::uint64_t epoch = 0;
  for (const auto& row : session.run(sql::digests::Claim{.shards = storage::binary_array(shards),
                                                         .businesses = storage::binary_array(businesses),
                                                         .limit_of_business = most_of_business})) {
    bytes += row.bytes;
    if (!claimed.empty() && bytes > most_list_bytes) break;
    claimed.push_back({.digest = {.business_id = row.business_id,
                                  .guid = row.guid,
                                  .workflow_id = row.workflow_id,
                                  .version = row.version,
                                  .began_at = row.began_at,
                                  .run_event = static_cast<std::uint64_t>(row.run_event)},
                       .is_deleted = row.is_deleted});
    epoch = static_cast<std::uint64_t>(row.epoch);
  }
  if (epoch > 0) workflows_.follow(session, epoch);
  return claimed;
}

/// True if the catalogue is as new as the digest's version of the workflow.
bool DueDigests::may_decide(const Claimed& claimed) const {
  const WorkflowPtr workflow = catalogue_.find(claimed.digest.workflow_id);
  return workflow ? workflow->version >= claimed.digest.version
                  : workflows_.is_current(claimed.digest.business_id);
}

/// Plans the runs of digests whose workflow exists and can be read.
DueDigests::Plan DueDigests::decide(storage::Session& session, const std::vector<Claimed>& claimed) const {
  Plan plan;
  std::vector<storage::ClaimedRun> stubs;  // of the digests to close, to find their versions
  std::vector<const DueDigest*> open;
  for (const Claimed& each : claimed) {
    const DueDigest& digest = each.digest;
    const bool is_suspended = catalogue_.is_suspended(digest.business_id);
    if (each.is_deleted) {
      plan.dropped.add(digest);
    } else if (!is_suspended && !may_decide(each)) {
      plan.behind.add(digest);
    } else if (is_suspended || !catalogue_.find(digest.workflow_id)) {
      plan.postponed.add(digest);  // without the business, or unreadable here
    } else {
      open.push_back(&digest);
      storage::RunKey& key = stubs.emplace_back().run.key;
      key.business_id = digest.business_id;
      key.guid = digest.guid;
      key.workflow_id = digest.workflow_id;
      key.workflow_version = digest.version;
    }
  }
  const auto find = [this](const Guid& workflow) { return catalogue_.find(workflow); };
  const EarlierVersions versions =
      earlier_versions(session, find, stubs, [](const storage::ClaimedRun&) { return true; });
  const Time now = clock_.now();
  for (const DueDigest* const digest : open) {
    WorkflowPtr workflow = catalogue_.find(digest->workflow_id);
    if (const auto earlier = versions.find(digest->guid); earlier != versions.end())
      workflow = earlier->second ? with_version(*workflow, digest->version, *earlier->second) : nullptr;
    if (workflow == nullptr) {
      plan.postponed.add(*digest);
      continue;
    }
    plan.closed.add(*digest);
    plan.runs.front().runs.push_back(plan_digest_run(*digest, *workflow, now));
  }
  return plan;
}

void DueDigests::write(storage::Session& session, const Plan& plan) {
  const auto postpone = [&](const Keys& keys, Duration delay) {
    if (keys.digests.empty()) return;
    session.run(sql::digests::Postpone{.businesses = storage::binary_array(keys.businesses),
                                       .digests = storage::binary_array(keys.digests),
                                       .delay = format_duration(delay)});
  };
  postpone(plan.postponed, unreadable_retry_delay);
  postpone(plan.behind, catalogue_delay);
  if (!plan.dropped.digests.empty()) {
    session.run(sql::digests::Drop{.businesses = storage::binary_array(plan.dropped.businesses),
                                   .digests = storage::binary_array(plan.dropped.digests)});
  }
  if (plan.closed.digests.empty()) return;
  std::unordered_set<Guid> empty;  // digests whose items were all erased
  for (const auto& row :
       session.run(sql::digests::Close{.businesses = storage::binary_array(plan.closed.businesses),
                                       .digests = storage::binary_array(plan.closed.digests)})) {
    if (row.count == 0) empty.insert(row.guid);
  }
  std::vector<MatchedEvent> fired = plan.runs;
  std::erase_if(fired.front().runs,
                [&](const PlannedRun& planned) { return empty.contains(planned.run.key.guid); });
  guard_.watch(session, fired);
  std::vector<storage::Run> runs;
  for (PlannedRun& planned : fired.front().runs) runs.push_back(std::move(planned.run));
  storage::RunStore(session, worker_).queue(runs);
  has_queued_ = has_queued_ || !runs.empty();
  observe(Observable::runs_planned, {}, runs.size());
}

}  // namespace waybill::worker
