#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {

bool silence_devices(storage::blocking::Connection& session, const DutyOptions& options) {
  constexpr std::int64_t devices_per_transaction = 5'000;
  const storage::sql::duties::SilenceDevices silence{.limit = devices_per_transaction};
  return repeat_for(options.turn,
                    [&] { return session.run(silence).front().silenced == devices_per_transaction; });
}

}  // namespace waybill::worker
