#pragma once

#include <memory>
#include <string>

#include "connectors/connector.hpp"

namespace waybill::connectors {

/// Returns a Send whose calls end by the current value of `deadline`; a call after it fails at once with a
/// time-out. The thread that uses the store may move the deadline. The client and the clock must outlive the
/// Send.
Send send_until(net::HttpClient& http, const Clock& clock, std::shared_ptr<const Time> deadline);
/// Returns a Send with the same deadline whose calls are made by `send`.
Send send_until(Send send, const Clock& clock, std::shared_ptr<const Time> deadline);

/// Removes the credentials from a store's message, which may repeat them.
std::string without_secrets(std::string text, const StoreCredentials& credentials);

}  // namespace waybill::connectors
