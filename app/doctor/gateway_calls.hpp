#pragma once

#include "app/config/config.hpp"
#include "app/doctor/findings.hpp"
#include "storage/blocking/connection.hpp"

namespace waybill::app {

/// Asks the gateways of all businesses, at most 50 and all at once, by a call that needs the token and
/// changes nothing. Takes at most about 10 s. Carriers with a connector that this program lacks are left out.
/// Throws DatabaseUnavailable, StatementError, or SecretError for key files that cannot be read.
GatewayFacts ask_gateways(storage::blocking::Connection& session, const Config& config);

}  // namespace waybill::app
