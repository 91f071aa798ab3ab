#include "worker/events/workflow_follower.hpp"

#include <utility>

#include "storage/events/outbox.hpp"
#include "storage/settings/workflow_reader.hpp"
#include "storage/sql/leases.sql.hpp"
#include "storage/sql/suspensions.sql.hpp"

namespace waybill::worker {
namespace {

constexpr Duration census_every = std::chrono::seconds(1);

}  // namespace

bool WorkflowFollower::connected() {
  rereads_all_ = was_connected_;
  was_connected_ = true;
  return rereads_all_;
}

void WorkflowFollower::follow(storage::Session& session, std::uint64_t epoch) {
  if (epoch == seen_epoch_ && !rereads_all_ && !rereads_suspended_) return;
  read_suspended(session);
  std::unordered_set<Guid> present;
  const auto reached =
      storage::read_changed_workflows(session, rereads_all_ ? 0 : catalogue_.epoch(),
                                      [&](const std::vector<storage::StoredWorkflow>& portion) {
                                        for (const storage::StoredWorkflow& workflow : portion)
                                          present.insert(workflow.guid);
                                        catalogue_.apply(portion);
                                      });
  if (rereads_all_) catalogue_.keep_only(present);
  catalogue_.reached(reached);
  rereads_all_ = false;
  pauses_.seen(catalogue_.epoch());
  seen_epoch_ = epoch;
}

void WorkflowFollower::follow_now(storage::Session& session) {
  follow(session, storage::Outbox(session).scan({}, {}, 0, false).workflow_epoch);
}

void WorkflowFollower::read_suspended(storage::Session& session) {
  std::unordered_set<Guid> suspended;
  resumed_.clear();
  aside_.clear();
  for (const auto& business : session.run(storage::sql::suspensions::List{})) {
    aside_.insert(business.guid);
    (business.is_suspended ? suspended : resumed_).insert(business.guid);
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
