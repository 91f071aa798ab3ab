#pragma once

#include <string>

#include "base/secret_box.hpp"

namespace waybill::storage {

/// Refuses a secret key that is not the one this database's secrets are sealed with; the first key that comes
/// is it. Without this a process with another key would take workflows whose secrets it cannot open for
/// deleted ones. Throws SecretError, DatabaseUnavailable or StatementError.
void check_secret_key(const std::string& database_url, const SecretBox& secrets);

}  // namespace waybill::storage
