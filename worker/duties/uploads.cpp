#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {

bool expire_uploads(storage::blocking::Connection& session, const DutyOptions& options) {
  constexpr std::int64_t uploads_per_transaction = 20;  // each has up to 100 000 rows, in some parts
  const storage::sql::duties::ExpireUploads expire{.retention_days = options.retention_days,
                                                   .limit = uploads_per_transaction};
  return repeat_for(options.turn,
                    [&] { return session.run(expire).front().expired == uploads_per_transaction; });
}

}  // namespace waybill::worker
