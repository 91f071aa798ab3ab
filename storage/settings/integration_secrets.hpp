#pragma once

#include <string>
#include <string_view>

#include "base/guid.hpp"

namespace waybill::storage {

/// Returns the purpose (SecretBox) that a sealed column of an integration is bound to; `column` is "key" or
/// "secret".
inline std::string integration_purpose(const Guid& business, const Guid& integration,
                                       std::string_view column) {
  return "integration-" + std::string(column) + ":" + business.to_string() + ":" + integration.to_string();
}

}  // namespace waybill::storage
