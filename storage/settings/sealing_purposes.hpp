#pragma once

#include <string>
#include <string_view>

#include "base/guid.hpp"

// The purposes (SecretBox) to which the secrets of businesses and workflows are bound. A stored secret can be
// opened only with the purpose that it was sealed for, so these texts never change.
namespace waybill::storage {

/// The signing secret of a workflow's webhooks.
inline std::string workflow_secret_purpose(const Guid& workflow) {
  return "workflow-secret:" + workflow.to_string();
}

/// The signing secret of a business's webhook for alerts.
inline std::string alert_secret_purpose(const Guid& business) {
  return "alert-secret:" + business.to_string();
}

/// The key of the cursors of the events feed.
inline constexpr std::string_view feed_key_purpose = "feed-key";

/// The private key of a business's push messages.
inline std::string vapid_key_purpose(const Guid& business) { return "vapid-key:" + business.to_string(); }

}  // namespace waybill::storage
