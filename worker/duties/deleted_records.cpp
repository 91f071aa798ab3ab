#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/parts.hpp"

namespace waybill::worker {
namespace {

constexpr std::int64_t records_per_transaction = 500;
constexpr int max_transactions = 200;

template <typename Statement>
void purge(storage::blocking::Connection& session, int days) {
  for (int i = 0; i < max_transactions; ++i) {
    const auto result =
        session.run(Statement{.retention_in_days = days, .max_records = records_per_transaction});
    if (result.front().expired < records_per_transaction) return;
  }
}

}  // namespace

/// A purge writes no event, because the deletion has written one. Customers come last: a purged order
/// releases its customer.
void purge_deleted(storage::blocking::Connection& session, const DutyOptions& options) {
  namespace sql = storage::sql::duties;
  const int days = options.deleted_retention_days;
  Parts parts;
  parts.perform([&] { purge<sql::PurgeShipments>(session, days); });
  parts.perform([&] { purge<sql::PurgeOrders>(session, days); });
  parts.perform([&] { purge<sql::PurgeProducts>(session, days); });
  parts.perform([&] { purge<sql::PurgeCustomers>(session, days); });
  parts.finish();
}

}  // namespace waybill::worker
