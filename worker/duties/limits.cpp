#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/plans.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {

bool expire_limits(storage::blocking::Connection& session, const DutyOptions& options) {
  constexpr std::int64_t rows_per_transaction = 10'000;
  const storage::sql::duties::ExpireLimitedRuns expire{.limit = rows_per_transaction};
  return walk_indexes(session, [&] {
    return repeat_for(options.turn, [&] { return session.run(expire).front().seen == rows_per_transaction; });
  });
}

}  // namespace waybill::worker
