#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/plans.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {

bool release_held(storage::blocking::Connection& session, const DutyOptions& options) {
  constexpr std::int64_t runs_per_transaction = 5'000;
  return walk_indexes(session, [&] {
    // The statement limits the runs of each workflow, so a portion below the limit need not be the last.
    const bool has_held = repeat_for(options.turn, [&] {
      return session.run(sql::duties::ReleaseHeld{.limit = runs_per_transaction}).front().released > 0;
    });
    const bool has_left_over = repeat_for(options.turn, [&] {
      return session.run(sql::duties::EndLeftOver{.limit = runs_per_transaction}).front().ended > 0;
    });
    return has_held || has_left_over;
  });
}

}  // namespace waybill::worker
