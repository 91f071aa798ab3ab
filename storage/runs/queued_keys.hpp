#pragma once

#include <cstdint>
#include <vector>

#include "base/guid.hpp"
#include "storage/runs/run.hpp"

namespace waybill::storage {

/// The keys of queued runs as arrays, for the parameters of a statement.
struct QueuedKeys {
  std::vector<Guid> businesses, workflows, runs;
  std::vector<std::int64_t> claims;

  void add(const QueuedKey& key) {
    businesses.push_back(key.business_id);
    workflows.push_back(key.workflow_id);
    runs.push_back(key.guid);
    claims.push_back(key.claim);
  }
  bool empty() const { return runs.empty(); }
};

}  // namespace waybill::storage
