#include <chrono>
#include <cstddef>
#include <cstdint>

#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/parts.hpp"
#include "worker/duties/portions.hpp"
#include "worker/threads/batch_size.hpp"

namespace waybill::worker {
namespace {

// A shipment can have many traces. The portions are therefore small at first, and grow while they are fast.
constexpr std::size_t first_portion = 16;
constexpr std::size_t largest_portion = 500;
constexpr Duration portion_time = std::chrono::milliseconds(100);

template <typename Statement>
bool purge(storage::blocking::Connection& session, const DutyOptions& options) {
  BatchSize portion(first_portion, largest_portion, portion_time);
  return repeat_for(options.turn, [&] {
    const std::size_t most = portion.get();
    const auto began = std::chrono::steady_clock::now();
    const Statement statement{.retention_in_days = options.deleted_retention_days,
                              .max_records = static_cast<std::int64_t>(most)};
    const auto expired = static_cast<std::size_t>(session.run(statement).front().expired);
    portion.measured(expired, std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - began));
    return expired == most;
  });
}

}  // namespace

/// A purge writes no event, because the deletion has written one. Customers come last: a purged order
/// releases its customer.
bool purge_deleted(storage::blocking::Connection& session, const DutyOptions& options) {
  Parts parts;
  parts.perform([&] { return purge<sql::duties::PurgeShipments>(session, options); });
  parts.perform([&] { return purge<sql::duties::PurgeOrders>(session, options); });
  parts.perform([&] { return purge<sql::duties::PurgeProducts>(session, options); });
  parts.perform([&] { return purge<sql::duties::PurgeCustomers>(session, options); });
  return parts.finish();
}

}  // namespace waybill::worker
