#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {

bool expire_timers(storage::blocking::Connection& session, const DutyOptions& options) {
  constexpr std::int64_t rows_per_transaction = 1'000;
  const storage::sql::duties::ExpireTimers expire{.limit = rows_per_transaction,
                                                  .retention_days = options.retention_days};
  return repeat_for(options.turn,
                    [&] { return session.run(expire).front().deleted >= rows_per_transaction; });
}

}  // namespace waybill::worker
