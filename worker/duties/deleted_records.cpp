#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/parts.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {
namespace {

constexpr std::int64_t records_per_transaction = 500;

template <typename Statement>
bool purge(storage::blocking::Connection& session, const DutyOptions& options) {
  const Statement statement{.retention_in_days = options.deleted_retention_days,
                            .max_records = records_per_transaction};
  return repeat_for(options.turn,
                    [&] { return session.run(statement).front().expired == records_per_transaction; });
}

}  // namespace

/// A purge writes no event, because the deletion has written one. Customers come last: a purged order
/// releases its customer.
bool purge_deleted(storage::blocking::Connection& session, const DutyOptions& options) {
  namespace sql = storage::sql::duties;
  Parts parts;
  parts.perform([&] { return purge<sql::PurgeShipments>(session, options); });
  parts.perform([&] { return purge<sql::PurgeOrders>(session, options); });
  parts.perform([&] { return purge<sql::PurgeProducts>(session, options); });
  parts.perform([&] { return purge<sql::PurgeCustomers>(session, options); });
  return parts.finish();
}

}  // namespace waybill::worker
