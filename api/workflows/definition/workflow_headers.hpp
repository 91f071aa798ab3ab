#pragma once

#include <string_view>

#include "actions/credentials.hpp"
#include "api/endpoint/services.hpp"
#include "base/guid.hpp"

namespace waybill::api {

/// Decrypts the header values of a workflow's row. `sealed` is in hex, empty if there are none. Throws
/// SecretError.
actions::Credentials open_headers(const Services& services, std::string_view sealed, const Guid& workflow);

}  // namespace waybill::api
