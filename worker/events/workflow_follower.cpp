#include "worker/events/workflow_follower.hpp"

#include <algorithm>
#include <utility>

#include "storage/events/outbox.hpp"
#include "storage/settings/workflow_reader.hpp"
#include "storage/sql/leases.sql.hpp"
#include "storage/sql/suspensions.sql.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::worker {
namespace {

constexpr Duration census_every = std::chrono::seconds(1);

}  // namespace

bool WorkflowFollower::connected() {
  loader_.forget();
  behind_.clear();
  resumed_.clear();
  reads_all_ = true;
  return std::exchange(was_connected_, true);
}

void WorkflowFollower::follow(storage::Session& session, std::uint64_t epoch) {
  if (epoch <= seen_epoch_ && !reads_all_ && !rereads_suspended_) return;
  catalogue_.learn_address_hash(session);  // before any workflow is parsed
  if (reads_all_) read_all(session);
  find_changes(session, epoch);
  // The suspensions are read after the changes, so that none up to seen_epoch_ is missing.
  read_suspended(session);
  reads_all_ = false;
  note_reached();
}

void WorkflowFollower::follow_now(storage::Session& session) {
  follow(session, storage::Outbox(session).scan({}, false).workflow_epoch);
}

void WorkflowFollower::read_all(storage::Session& session) {
  std::unordered_set<Guid> present;
  const auto reached =
      storage::read_changed_workflows(session, 0, [&](const std::vector<storage::StoredWorkflow>& portion) {
        for (const storage::StoredWorkflow& workflow : portion) present.insert(workflow.guid);
        catalogue_.apply(portion);
      });
  catalogue_.keep_only(present);
  // A server that lost changes has assigned their epochs again.
  seen_epoch_ = reached;
}

void WorkflowFollower::find_changes(storage::Session& session, std::uint64_t epoch) {
  std::uint64_t last = std::max(seen_epoch_, epoch);
  const auto changed = session.run(
      storage::sql::workflows::ChangedBusinesses{.epoch = static_cast<std::int64_t>(seen_epoch_)});
  for (const auto& row : changed) {
    const auto wanted = static_cast<std::uint64_t>(row.epoch);
    last = std::max(last, wanted);
    const auto [found, is_new] =
        behind_.try_emplace(row.business_id, Behind{.reached = seen_epoch_, .wanted = wanted});
    found->second.wanted = wanted;
    if (is_new) loader_.load({.business_id = row.business_id, .since = seen_epoch_, .least = wanted});
  }
  if (last > seen_epoch_) rereads_suspended_ = true;
  seen_epoch_ = last;
}

bool WorkflowFollower::take_loaded() {
  auto loaded = loader_.take();
  const bool any = loaded.has_value();
  if (any) apply(std::move(*loaded));
  if (!reads_all_) note_reached();
  return any;
}

void WorkflowFollower::apply(WorkflowLoader::Loaded loaded) {
  loader_.destroy(catalogue_.apply(std::move(loaded.workflows)));
  for (const Guid& business : loaded.businesses) {
    const auto found = behind_.find(business);
    Behind& behind = found->second;
    behind.reached = loaded.reached;
    behind.as_of = loaded.as_of;
    if (behind.wanted <= behind.reached) {
      behind_.erase(found);
    } else {
      loader_.load({.business_id = business, .since = behind.reached, .least = behind.wanted});
    }
  }
}

/// Reports to the catalogue and the pause writer the epoch up to which all changes are applied.
void WorkflowFollower::note_reached() {
  std::uint64_t reached = seen_epoch_;
  for (const auto& [business, behind] : behind_) reached = std::min(reached, behind.reached);
  catalogue_.reached(reached);
  pauses_.seen(reached, [this](const Guid& business, std::uint64_t epoch) {
    return epoch <= seen_epoch_ && has_read(business, epoch);
  });
}

bool WorkflowFollower::has_read(const Guid& business, std::uint64_t epoch) const {
  if (reads_all_) return false;
  const auto found = behind_.find(business);
  return found == behind_.end() || epoch <= found->second.reached;
}

bool WorkflowFollower::has_read_since(const Guid& business, Time time) const {
  if (reads_all_) return false;
  const auto found = behind_.find(business);
  return found == behind_.end() || time <= found->second.as_of;
}

std::vector<Guid> WorkflowFollower::behind() const {
  std::vector<Guid> businesses;
  businesses.reserve(behind_.size());
  for (const auto& [business, behind] : behind_) businesses.push_back(business);
  return businesses;
}

std::vector<Guid> WorkflowFollower::unread() const {
  std::vector<Guid> businesses;
  for (const auto& [business, behind] : behind_) {
    if (behind.as_of == Time{}) businesses.push_back(business);
  }
  return businesses;
}

std::optional<Guid> WorkflowFollower::resumed_business() const {
  const auto found =
      std::ranges::find_if(resumed_, [&](const auto& each) { return has_read(each.first, each.second); });
  return found == resumed_.end() ? std::nullopt : std::optional(found->first);
}

void WorkflowFollower::read_suspended(storage::Session& session) {
  const auto businesses = session.run(storage::sql::suspensions::List{});
  std::unordered_set<Guid> suspended;
  const auto earlier = std::exchange(resumed_, {});
  aside_.clear();
  for (const auto& business : businesses) {
    aside_.insert(business.guid);
    if (business.is_suspended) {
      suspended.insert(business.guid);
    } else {
      const auto found = earlier.find(business.guid);
      resumed_.emplace(business.guid, found == earlier.end() ? seen_epoch_ : found->second);
    }
  }
  catalogue_.suspend(std::move(suspended));
  rereads_suspended_ = false;
}

bool WorkflowFollower::may_defer(storage::Session& session, Time now) {
  if (now - last_census_ < census_every) return may_defer_;
  last_census_ = now;
  may_defer_ = session.run(storage::sql::leases::AllRenderDeferred{}).front().all_render;
  return may_defer_;
}

}  // namespace waybill::worker
