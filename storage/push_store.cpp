#include "storage/push_store.hpp"

#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {

std::vector<PushSubscription> push_subscriptions(Session& session, const Guid& business,
                                                 const std::optional<Guid>& user, std::size_t limit) {
  const std::optional<std::string> user_text = user ? std::optional(user->to_string()) : std::nullopt;
  const Rows rows = session.run(sql::push_subscriptions::audience, business.to_string(), user_text, limit);
  std::vector<PushSubscription> subscriptions;
  subscriptions.reserve(static_cast<std::size_t>(rows.size()));
  for_each_row(rows, [&](const RowView& row) {
    subscriptions.push_back({.guid = row.guid(0),
                             .endpoint = row.string(1),
                             .p256dh = row.string(2),
                             .auth = row.string(3),
                             .saved_at = row.string(4)});
  });
  return subscriptions;
}

std::optional<StoredVapidKeys> vapid_keys(Session& session, const Guid& business) {
  const Rows rows = session.run(sql::vapid_keys::sealed, business.to_string());
  if (rows.empty()) return std::nullopt;
  const RowView row(rows, 0);
  return StoredVapidKeys{row.string(0), unhex(row.view(1)).value()};
}

void remove_push_subscription(Session& session, const Guid& business, const PushSubscription& subscription) {
  session.run(sql::push_subscriptions::expire, business.to_string(), subscription.guid.to_string(),
              subscription.saved_at);
}

}  // namespace waybill::storage
