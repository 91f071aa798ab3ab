#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/parts.hpp"

namespace waybill::worker {

void expire(storage::blocking::Connection& session, const DutyOptions& options) {
  namespace sql = storage::sql::duties;
  Parts parts;
  const auto run = [&](const auto& statement) { parts.perform([&] { session.run(statement); }); };
  run(sql::ExpireIdempotencyKeys{});
  run(sql::ExpireSecrets{});
  run(sql::ExpireAccounts{});
  run(sql::ExpireFirings{});
  run(sql::ExpireLeaseRenewals{});
  run(sql::ExpireAlertMessages{.retention_days = options.retention_days});
  run(sql::ExpireImports{.retention_days = options.retention_days});
  parts.finish();
}

}  // namespace waybill::worker
