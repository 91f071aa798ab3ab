#include "storage/session/session_limits.hpp"

#include "storage/pq/connect_params.hpp"

namespace waybill::storage {

std::string session_settings(const SessionLimits& limits) {
  const auto milliseconds = [](Duration limit) {
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(limit).count());
  };
  std::string settings = std::string(pq::own_settings) + " -c client_min_messages=warning";
  if (limits.lock > Duration::zero()) settings += " -c lock_timeout=" + milliseconds(limits.lock);
  if (limits.idle_in_transaction > Duration::zero())
    settings += " -c idle_in_transaction_session_timeout=" + milliseconds(limits.idle_in_transaction);
  return settings;
}

}  // namespace waybill::storage
