#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {

/// Opens the credentials of an integration's row, whose sealed columns are given in hexadecimal digits.
/// Throws SecretError if they were sealed with another key or for another row.
StoreCredentials open_credentials(const SecretBox& secrets, const Guid& business, const Guid& integration,
                                  std::string_view sealed_key,
                                  const std::optional<std::string_view>& sealed_secret,
                                  std::string_view store_url);

}  // namespace waybill::connectors
