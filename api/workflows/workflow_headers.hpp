#pragma once

#include <string_view>

#include "actions/credentials.hpp"
#include "api/route/services.hpp"
#include "base/guid.hpp"

namespace waybill::api {

/// The header values that a workflow's row keeps sealed: `sealed` in hex, empty when there are none. Throws
/// SecretError.
actions::Credentials open_headers(const Services& services, std::string_view sealed, const Guid& workflow);

}  // namespace waybill::api
