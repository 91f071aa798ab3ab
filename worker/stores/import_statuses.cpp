#include "worker/stores/import_statuses.hpp"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "domain/records/state_machines.hpp"
#include "storage/sql/imports.sql.hpp"
#include "worker/stores/import_rules.hpp"

namespace waybill::worker {
namespace {

using connectors::Unreadable;
using Text = std::optional<std::string>;

/// An order as it was last imported.
struct Known {
  Guid guid;
  Text digest, before;
  Text current;  // its status here; none if it was deleted here
};
using KnownOrders = std::unordered_map<std::string, Known>;

class StatusPage {
 public:
  StatusPage(PageWork& work, const ImportScope& scope) : work_(work), scope_(scope) {}

  asio::awaitable<FollowedStatuses> follow(const std::vector<Unreadable>& unread) {
    co_await look_up(unread);
    std::unordered_map<std::string_view, const Unreadable*> latest;
    for (const auto& each : unread) latest.insert_or_assign(each.external_id, &each);
    for (const auto& each : unread) {
      const bool has_id = !each.external_id.empty();
      if (!has_id || latest.at(each.external_id) == &each) decide(each);
    }
    co_await write();
    co_return std::move(result_);
  }

 private:
  asio::awaitable<void> look_up(const std::vector<Unreadable>& unread) {
    std::vector<std::string> ids;
    for (const auto& each : unread) {
      if (!each.external_id.empty()) ids.push_back(each.external_id);
    }
    if (ids.empty()) co_return;
    const auto rows = co_await work_.run(sql::imports::Known{
        .business = scope_.business, .integration = scope_.integration, .external_ids = ids});
    std::vector<Guid> guids;
    std::map<Guid, Known*> by_guid;
    for (const auto& row : rows) {
      auto& known = known_[std::string(row.external_id)];
      known.guid = row.order_id;
      if (row.digest) known.digest = *row.digest;
      if (row.status) known.before = *row.status;
      guids.push_back(known.guid);
      by_guid.emplace(known.guid, &known);
    }
    if (guids.empty()) co_return;
    const auto locked =
        co_await work_.run(sql::imports::LockOrders{.business = scope_.business, .orders = guids});
    for (const auto& row : locked) by_guid.at(row.guid)->current = row.status;
  }

  void decide(const Unreadable& each) {
    const auto known = known_.find(each.external_id);
    if (known == known_.end()) {
      const bool is_left_out = each.created_at && *each.created_at < scope_.claim.import_since;
      return is_left_out || each.reason.empty() ? settle(each) : fail(each, each.reason);
    }
    if (!known->second.current) return settle(each);
    const std::string current = follow(each, known->second);
    if (is_closed(current) || each.reason.empty()) return settle(each);
    fail(each, each.reason);
  }

  /// Returns the order's new status here.
  std::string follow(const Unreadable& each, const Known& known) {
    const std::string& current = *known.current;
    if (!is_store_status(each.status) || each.status == known.before) return current;
    ids_.push_back(each.external_id);
    guids_.push_back(known.guid);
    digests_.push_back(known.digest.value_or(""));
    statuses_.push_back(each.status);
    const auto verdict = decide_status(current, known.before, each.status);
    if (verdict.contradiction) {
      result_.contradictions.push_back({each.external_id, each.number, *verdict.contradiction});
    }
    if (!verdict.move) return current;
    moved_[std::string(*verdict.move)].push_back(known.guid);
    return std::string(*verdict.move);
  }

  void settle(const Unreadable& each) {
    if (!each.external_id.empty()) settled_.push_back(each.external_id);
  }
  void fail(const Unreadable& each, std::string reason) {
    result_.failures.push_back({each.external_id, each.number, std::move(reason)});
  }

  asio::awaitable<void> write() {
    for (auto& [status, orders] : moved_) {
      const auto changed = co_await work_.change_status({.entity_type = domain::EntityType::order,
                                                         .records = std::move(orders),
                                                         .status = status,
                                                         .rule = &domain::store_order_states()});
      result_.moved += static_cast<std::int64_t>(changed.moved);
    }
    if (!ids_.empty()) {
      co_await work_.run(sql::imports::RememberOrders{.business = scope_.business,
                                                      .integration = scope_.integration,
                                                      .external_ids = ids_,
                                                      .orders = guids_,
                                                      .digests = digests_,
                                                      .statuses = statuses_});
    }
    if (!settled_.empty()) {
      co_await work_.run(sql::imports::ForgetFailures{
          .business = scope_.business, .integration = scope_.integration, .external_ids = settled_});
    }
  }

  PageWork& work_;
  const ImportScope& scope_;
  KnownOrders known_;
  std::map<std::string, std::vector<Guid>> moved_;  // by the new status
  // The orders to remember, in parallel lists.
  std::vector<std::string> ids_, digests_, statuses_;
  std::vector<Guid> guids_;
  std::vector<std::string> settled_;  // ids of orders that are not failures
  FollowedStatuses result_;
};

}  // namespace

asio::awaitable<FollowedStatuses> follow_statuses(PageWork& work, const ImportScope& scope,
                                                  const std::vector<Unreadable>& unread) {
  if (unread.empty()) co_return FollowedStatuses();
  StatusPage page(work, scope);
  co_return co_await page.follow(unread);
}

}  // namespace waybill::worker
