#pragma once

#include <cstdint>
#include <vector>

#include "connectors/connector.hpp"
#include "worker/stores/import_scope.hpp"

namespace waybill::worker {

struct FollowedStatuses {
  std::int64_t moved = 0;               // orders with a new status
  std::vector<Refused> failures;        // orders that are imported again later
  std::vector<Refused> contradictions;  // permanent differences from the store
};

/// Gives orders that were imported before, but cannot be read now, their status in the store, as part of a
/// page's transaction. Their other fields stay. An order that takes no more changes (shipped, delivered,
/// cancelled), was deleted here, or was never imported and is deleted in the store is not a failure; nor is
/// one that the store created before the claim's import_since and that was never imported.
asio::awaitable<FollowedStatuses> follow_statuses(PageWork& work, const ImportScope& scope,
                                                  const std::vector<connectors::Unreadable>& unread);

}  // namespace waybill::worker
