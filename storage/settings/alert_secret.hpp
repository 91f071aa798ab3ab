#pragma once

#include <string>

#include "base/guid.hpp"

namespace waybill::storage {

/// Returns the purpose (SecretBox) that the secret of a business's webhook for alerts is bound to.
inline std::string alert_secret_purpose(const Guid& business) {
  return "alert-secret:" + business.to_string();
}

}  // namespace waybill::storage
