#include "api/push/vapid_key.hpp"

#include "net/web_push/vapid.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/vapid_keys.sql.hpp"

namespace waybill::api {

SealedVapidKey SealedVapidKey::make(const SecretBox& secrets, const Guid& business) {
  const auto keys = net::make_vapid_keys();
  return {keys.public_key, secrets.seal(keys.private_key, storage::vapid_key_purpose(business))};
}

asio::awaitable<std::string> vapid_public_key(Services& services, const Guid& business) {
  auto stored = co_await services.db.read(sql::vapid_keys::Get{.business = business});
  if (stored.empty()) {
    const auto new_key = SealedVapidKey::make(services.secrets, business);
    co_await services.db.write(
        sql::vapid_keys::Make{
            .business = business, .public_key = new_key.public_key, .private_key = new_key.private_key},
        {});
    // Another request may have stored its key first.
    stored = co_await services.db.read(sql::vapid_keys::Get{.business = business});
  }
  co_return std::string(stored.front().public_key);
}

}  // namespace waybill::api
