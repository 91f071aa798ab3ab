#include "storage/settings/push_subscriptions.hpp"

#include "storage/blocking/connection.hpp"
#include "storage/sql/push_subscriptions.sql.hpp"
#include "storage/sql/vapid_keys.sql.hpp"

namespace waybill::storage {

std::vector<PushSubscription> push_subscriptions(blocking::Connection& session, const Guid& business,
                                                 const std::optional<Guid>& user, std::size_t limit) {
  const auto rows =
      session.run(sql::push_subscriptions::Audience{.business = business, .user = user, .limit = limit});
  std::vector<PushSubscription> subscriptions;
  subscriptions.reserve(rows.all().size());
  for (const auto& row : rows) {
    subscriptions.push_back({.guid = row.guid,
                             .endpoint = std::string(row.endpoint),
                             .p256dh = std::string(row.p256dh),
                             .auth = std::string(row.auth),
                             .saved_at = row.updated_at});
  }
  return subscriptions;
}

std::optional<StoredVapidKeys> vapid_keys(blocking::Connection& session, const Guid& business) {
  const auto rows = session.run(sql::vapid_keys::Sealed{.business = business});
  const auto keys = rows.find();
  if (!keys) return std::nullopt;
  return StoredVapidKeys{std::string(keys->public_key), keys->private_key};
}

void remove_push_subscription(blocking::Connection& session, const Guid& business,
                              const PushSubscription& subscription) {
  session.run(sql::push_subscriptions::Expire{
      .business = business, .subscription = subscription.guid, .saved_at = subscription.saved_at});
}

}  // namespace waybill::storage
