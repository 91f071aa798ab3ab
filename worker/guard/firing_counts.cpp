#include "worker/guard/firing_counts.hpp"

#include <cstddef>

#include "storage/sql/workflows.sql.hpp"

namespace waybill::worker {

void FiringCounts::fired(const Guid& business, const Guid& workflow, std::int64_t count) {
  if (count > 0) firings_[{business, workflow}].fired += count;
}

void FiringCounts::fired(const std::vector<storage::Run>& runs) {
  for (const storage::Run& run : runs) fired(run.key.business_id, run.key.workflow_id, 1);
}

void FiringCounts::held(const Guid& business, const Guid& workflow, std::int64_t count) {
  if (count > 0) firings_[{business, workflow}].held += count;
}

void FiringCounts::matched(const EventCounts& counts) {
  for (const auto& [business, events] : counts.events) {
    auto& all = matched_.events[business];
    for (std::size_t type = 0; type < all.size(); ++type) all.at(type) += events.at(type);
  }
  for (const auto& [source, scans] : counts.scans) matched_.scans[source] += scans;
}

void FiringCounts::save(storage::Session& session) {
  if (firings_.empty() && matched_.events.empty()) return;
  std::vector<Guid> businesses, workflows, event_businesses, scan_businesses, carriers;
  std::vector<std::int64_t> fired, held, scans;
  std::array<std::vector<std::int64_t>, domain::entity_type_count> events;
  for (const auto& [key, counts] : firings_) {
    businesses.push_back(key.first);
    workflows.push_back(key.second);
    fired.push_back(counts.fired);
    held.push_back(counts.held);
  }
  for (const auto& [business, counts] : matched_.events) {
    event_businesses.push_back(business);
    for (std::size_t type = 0; type < counts.size(); ++type) events.at(type).push_back(counts.at(type));
  }
  for (const auto& [source, count] : matched_.scans) {
    scan_businesses.push_back(source.first);
    carriers.push_back(source.second);
    scans.push_back(count);
  }
  session.run(storage::sql::workflows::AddFirings{.businesses = businesses,
                                                  .workflows = workflows,
                                                  .counts = fired,
                                                  .held = held,
                                                  .event_businesses = event_businesses,
                                                  .orders = events[0],
                                                  .shipments = events[1],
                                                  .customers = events[2],
                                                  .products = events[3],
                                                  .scan_businesses = scan_businesses,
                                                  .carriers = carriers,
                                                  .scans = scans});
  firings_.clear();
  matched_ = {};
}

}  // namespace waybill::worker
