#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void silence_devices(storage::Session& session, const DutyOptions&) {
  session.run(storage::sql::duties::silence_devices);
}

}  // namespace waybill::worker
