#include "connectors/shown_records.hpp"

#include <array>

#include "connectors/connector.hpp"

namespace waybill::connectors {

void ShownRecords::note(const std::string& failure) {
  if (failure.empty()) {
    failures_ = 0;
    shows_none_ = false;
    return;
  }
  ++failures_;
  failure_ = failure;
}

asio::awaitable<void> ShownRecords::require_some(const Shows& shows) {
  constexpr std::size_t most_in_a_row = 6;
  // The newest ones may be of the kind that the store cannot show since its last update, and so may the
  // oldest.
  constexpr std::array samples = {Sample{true, 0}, Sample{true, 1}, Sample{true, 2}, Sample{false, 0}};
  if (failures_ < most_in_a_row) co_return;
  if (!shows_none_) {
    for (const Sample& sample : samples) {
      if (co_await shows(sample)) {
        failures_ = 0;
        co_return;
      }
    }
    shows_none_ = true;
  }
  throw StoreError(StoreProblem::busy, failure_);
}

}  // namespace waybill::connectors
