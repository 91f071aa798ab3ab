#pragma once

#include <string>

#include "base/secret_box.hpp"

namespace waybill::storage {

/// Throws SecretError if the database's secrets are sealed with another key; the first key checked becomes
/// the database's key. Without this check, a process with another key would treat workflows whose secrets it
/// cannot open as deleted. Also throws DatabaseUnavailable or StatementError.
void check_secret_key(const std::string& database_url, const SecretBox& secrets);

}  // namespace waybill::storage
