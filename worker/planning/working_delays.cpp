#include "worker/planning/working_delays.hpp"

#include <utility>
#include <vector>

#include "storage/runs/working_days.hpp"

namespace waybill::worker {

void add_working_days(storage::Session& session, std::span<PlannedRun* const> runs) {
  std::vector<storage::RunState*> states;
  std::vector<storage::WorkingDays> wanted;
  for (PlannedRun* const planned : runs) {
    if (planned->working_days == 0) continue;
    states.push_back(&planned->run.state);
    wanted.push_back({planned->run.key.business_id, planned->run.state.at, planned->working_days});
  }
  const auto moments = storage::working_day_moments(session, wanted);
  for (std::size_t i = 0; i < states.size(); ++i) {
    storage::RunState& state = *states[i];
    if (moments[i]) {
      state.at = *moments[i];
    } else {
      state = no_working_day_state(std::move(state));
    }
  }
}

}  // namespace waybill::worker
