#include "api/push/vapid_key.hpp"

#include "net/vapid.hpp"
#include "storage/sql.hpp"

namespace waybill::api {

namespace sql = storage::sql::vapid_keys;

SealedVapidKey SealedVapidKey::make(const SecretBox& secrets, const Guid& business) {
  const auto keys = net::make_vapid_keys();
  const auto sealed = secrets.seal(keys.private_key, "vapid-key:" + business.to_string());
  return {keys.public_key, "\\x" + hex(sealed)};
}

asio::awaitable<std::string> vapid_public_key(Services& services, const Guid& business) {
  const auto key = storage::Params().add(business.to_string());
  auto rows = co_await services.db.read(sql::get, key);
  if (rows.empty()) {
    const auto new_key = SealedVapidKey::make(services.secrets, business);
    auto params = key;
    params.add(new_key.public_key).add(new_key.private_key);
    co_await services.db.write(sql::make, std::move(params), {});
    rows = co_await services.db.read(sql::get, key);  // another request may have stored its key first
  }
  co_return std::string(rows.get(0, 0));
}

}  // namespace waybill::api
