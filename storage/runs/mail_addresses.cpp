#include "storage/runs/mail_addresses.hpp"

#include "storage/sql/queue.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {

void MailAddresses::add(const Guid& business, const Guid& run, int step, std::span<const Guid> addresses) {
  for (const Guid& address : addresses) {
    businesses_.push_back(business);
    runs_.push_back(run);
    steps_.push_back(step);
    addresses_.push_back(address);
  }
}

void MailAddresses::add(const Run& run) {
  add(run.key.business_id, run.key.guid, run.state.progress ? run.state.progress->number : 1,
      run.key.addresses);
}

void MailAddresses::write(Session& session, std::optional<Guid> holder) const {
  if (empty()) return;
  session.run_with_fresh_plan(sql::queue::NoteAddresses{.worker = holder,
                                                        .businesses = binary_array(businesses_),
                                                        .runs = binary_array(runs_),
                                                        .steps = steps_,
                                                        .addresses = binary_array(addresses_)});
}

}  // namespace waybill::storage
