#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "base/guid.hpp"

namespace waybill::storage {

namespace blocking {
class Connection;
}

/// The maximum number of subscriptions of a business; one message goes to all of them.
inline constexpr std::size_t max_push_subscriptions = 10'000;

/// A browser subscribed to a business's push messages.
struct PushSubscription {
  Guid guid;
  std::string endpoint;
  std::string p256dh;  // base64url
  std::string auth;    // base64url
  Time saved_at;
};

/// The keys that sign a business's push messages.
struct StoredVapidKeys {
  std::string public_key;  // base64url
  Bytes private_key;       // sealed for "vapid-key:BUSINESS"
};

/// Returns the `limit` newest subscriptions of a business, or of one of its users. All functions here throw
/// DatabaseUnavailable or StatementError.
std::vector<PushSubscription> push_subscriptions(blocking::Connection& session, const Guid& business,
                                                 const std::optional<Guid>& user, std::size_t limit);

/// Returns nullopt if the business has no keys, and therefore no subscriptions.
std::optional<StoredVapidKeys> vapid_keys(blocking::Connection& session, const Guid& business);

/// Removes a subscription unless it was saved again since it was read.
void remove_push_subscription(blocking::Connection& session, const Guid& business,
                              const PushSubscription& subscription);

}  // namespace waybill::storage
