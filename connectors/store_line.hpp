#pragma once

#include <memory>
#include <string>

#include "connectors/connector.hpp"

namespace waybill::connectors {

/// A way to send whose calls end by `deadline` as it then is; what would begin later is a time-out at once.
/// The deadline is moved by the thread that uses the store; the client and the clock outlive it.
Send send_until(net::HttpClient& http, const Clock& clock, std::shared_ptr<const Time> deadline);

/// A store's words may repeat what it was sent.
std::string without_secrets(std::string text, const StoreCredentials& credentials);

}  // namespace waybill::connectors
