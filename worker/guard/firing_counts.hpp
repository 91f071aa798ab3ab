#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "storage/runs/run.hpp"
#include "storage/session/session.hpp"

namespace waybill::worker {

/// Numbers of matched events.
struct EventCounts {
  /// By business and entity type.
  std::unordered_map<Guid, std::array<std::int64_t, domain::entity_type_count>> events;
  std::map<std::pair<Guid, Guid>, std::int64_t> scans;  // by business and carrier
};

/// Counts how often workflows fire, and how many events and scans businesses have, until `save` adds the
/// counts to those of the present hour. One thread.
class FiringCounts {
 public:
  void fired(const Guid& business, const Guid& workflow, std::int64_t count);
  /// Counts runs that no guard has watched.
  void fired(const std::vector<storage::Run>& runs);
  /// Counts firings of a paused workflow.
  void held(const Guid& business, const Guid& workflow, std::int64_t count);
  void matched(const EventCounts& counts);

  /// Throws DatabaseUnavailable or StatementError; the counts are then kept.
  void save(storage::Session& session);

 private:
  struct Counts {
    std::int64_t fired = 0;
    std::int64_t held = 0;
  };

  std::map<std::pair<Guid, Guid>, Counts> firings_;  // by business and workflow
  EventCounts matched_;
};

}  // namespace waybill::worker
