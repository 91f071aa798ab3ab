#pragma once

#include <string>

#include "app/config/config.hpp"

namespace waybill::app {

/// The URL of the API for a command on the same machine: that of the `waybill up` which runs on the data
/// directory, or else that of --listen.
std::string api_url(const Config& config);

/// The URL of the service for its users: --public-url, or else that of the API.
std::string service_url(const Config& config);

}  // namespace waybill::app
