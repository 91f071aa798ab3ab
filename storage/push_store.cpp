#include "storage/push_store.hpp"

#include "storage/blocking/connection.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {

std::vector<PushSubscription> push_subscriptions(blocking::Connection& session, const Guid& business,
                                                 const std::optional<Guid>& user, std::size_t limit) {
  const pqxx::result rows = session.run(sql::push_subscriptions::audience, business, user, limit);
  std::vector<PushSubscription> subscriptions;
  subscriptions.reserve(rows.size());
  for (const auto& row : rows) {
    subscriptions.push_back({.guid = row["guid"].as<Guid>(),
                             .endpoint = row["endpoint"].as<std::string>(),
                             .p256dh = row["p256dh"].as<std::string>(),
                             .auth = row["auth"].as<std::string>(),
                             .saved_at = row["updated_at"].as<std::string>()});
  }
  return subscriptions;
}

std::optional<StoredVapidKeys> vapid_keys(blocking::Connection& session, const Guid& business) {
  const pqxx::result rows = session.run(sql::vapid_keys::sealed, business);
  if (rows.empty()) return std::nullopt;
  const pqxx::row row = rows.at(0);
  return StoredVapidKeys{row["public_key"].as<std::string>(),
                         unhex(row["private_key"].as<std::string>()).value()};
}

void remove_push_subscription(blocking::Connection& session, const Guid& business,
                              const PushSubscription& subscription) {
  session.run(sql::push_subscriptions::expire, business, subscription.guid, subscription.saved_at);
}

}  // namespace waybill::storage
