#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/crypto.hpp"
#include "base/guid.hpp"
#include "storage/session.hpp"

namespace waybill::storage {

/// That a business has at most, the newest; so many does one message go to.
inline constexpr std::size_t most_push_subscriptions = 10'000;

/// A browser that takes a business's push messages.
struct PushSubscription {
  Guid guid;
  std::string endpoint;
  std::string p256dh;    // base64url
  std::string auth;      // base64url
  std::string saved_at;  // as PostgreSQL writes it
};

/// What signs a business's push messages.
struct StoredVapidKeys {
  std::string public_key;  // base64url
  Bytes private_key;       // sealed for "vapid-key:BUSINESS"
};

/// The subscriptions of a business, or of one of its users; the `limit` newest. All of these throw
/// DatabaseUnavailable or StatementError.
std::vector<PushSubscription> push_subscriptions(Session& session, const Guid& business,
                                                 const std::optional<Guid>& user, std::size_t limit);

/// nullopt when the business has none, and so nobody can have subscribed.
std::optional<StoredVapidKeys> vapid_keys(Session& session, const Guid& business);

/// Removes a subscription as it was read: one that was saved again since stays.
void remove_push_subscription(Session& session, const Guid& business, const PushSubscription& subscription);

}  // namespace waybill::storage
