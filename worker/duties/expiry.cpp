#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void expire(storage::blocking::Connection& session, const DutyOptions& options) {
  session.run(storage::sql::duties::ExpireIdempotencyKeys{});
  session.run(storage::sql::duties::ExpireSecrets{});
  session.run(storage::sql::duties::ExpireAccounts{});
  session.run(storage::sql::duties::ExpireFirings{});
  session.run(storage::sql::duties::ExpireLeaseRenewals{});
  session.run(storage::sql::duties::ExpireAlertMessages{.retention_days = options.retention_days});
  session.run(storage::sql::duties::ExpireImports{.retention_days = options.retention_days});
}

}  // namespace waybill::worker
