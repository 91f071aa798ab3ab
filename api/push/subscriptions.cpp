#include <string>
#include <utility>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/push/vapid_key.hpp"
#include "api/records/fields.hpp"
#include "base/blanks.hpp"
#include "net/destination/destination.hpp"
#include "net/web_push/vapid.hpp"
#include "storage/settings/push_subscriptions.hpp"
#include "storage/sql/push_subscriptions.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t longest_endpoint = 2000;

constexpr Property keys_properties[] = {
    {.name = "p256dh", .kind = Kind::string, .required = true, .description = "A point on P-256, base64url."},
    {.name = "auth", .kind = Kind::string, .required = true, .description = "16 bytes, base64url."},
};
constexpr Schema keys_schema{"PushKeys", keys_properties};
constexpr Property subscription_properties[] = {
    {.name = "endpoint",
     .kind = Kind::string,
     .required = true,
     .max_length = longest_endpoint,
     .description = "The URL at the push service."},
    {.name = "keys", .kind = Kind::object, .required = true, .schema = &keys_schema},
    {.name = "expirationTime",
     .kind = Kind::number,
     .description = "Ignored; the push service reports expired subscriptions."},
};
constexpr Schema subscription_schema{"PushSubscription", subscription_properties};
constexpr Schema endpoint_schema{"PushEndpoint", std::span(subscription_properties).first(1)};

constexpr Property public_key_properties[] = {
    {.name = "publicKey",
     .kind = Kind::string,
     .nullable = false,
     .description = "The applicationServerKey for PushManager.subscribe, base64url."},
};
constexpr Schema public_key_schema{"VapidPublicKey", public_key_properties};

void check_subscription(const json::object& body, FieldErrors& errors) {
  const auto p256dh = text_at(body, "keys.p256dh");
  if (p256dh && !is_blank(*p256dh) && !net::is_push_key(*p256dh)) {
    errors.push_back({"keys.p256dh", "must be a point on P-256, 65 bytes in base64url"});
  }
  const auto auth = text_at(body, "keys.auth");
  if (auth && !is_blank(*auth) && !net::is_push_secret(*auth)) {
    errors.push_back({"keys.auth", "must be 16 bytes in base64url"});
  }
}

asio::awaitable<Answer> save_subscription(Call& call, Services& services) {
  const auto& body = call.object();
  const auto endpoint = text_at(body, "endpoint").value_or("");
  if (auto problem = net::check_url(endpoint, services.settings.destinations)) {
    throw invalid("endpoint", std::move(*problem));
  }
  const auto& principal = call.principal;
  co_await vapid_public_key(services, principal.business_id);
  co_await services.db.write(
      sql::push_subscriptions::Save{
          .business = principal.business_id,
          .user = principal.is_user() ? std::optional(principal.user_id) : std::nullopt,
          .endpoint = endpoint,
          .p256dh = text_at(body, "keys.p256dh").value(),
          .auth = text_at(body, "keys.auth").value(),
          .max_subscriptions = storage::max_push_subscriptions},
      call.cause());
  co_return Answer::none();
}

asio::awaitable<Answer> remove_subscription(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::push_subscriptions::Remove{.business = call.business(),
                                      .endpoint = text_at(call.object(), "endpoint").value()},
      call.cause());
  if (rows.affected() == 0) throw not_found("subscription");
  co_return Answer::none();
}

asio::awaitable<Answer> get_public_key(Call& call, Services& services) {
  const auto key = co_await vapid_public_key(services, call.principal.business_id);
  co_return Answer::of(to_json(json::object{{"publicKey", key}}));
}

constexpr Endpoint subscription_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/integrations/save-vapid-subscription",
     .permission = Permission::operate,
     .handler = save_subscription,
     .operation_id = "createPushSubscription",
     .summary = "Registers a browser for push messages",
     .description = "Registering an endpoint again does not add a subscription.",
     .tag = "Integrations",
     .body = &subscription_schema,
     .body_check = check_subscription,
     .body_kind = BodyKind::object},
    {.method = Method::del,
     .path = "/api/integrations/save-vapid-subscription",
     .permission = Permission::operate,
     .handler = remove_subscription,
     .operation_id = "deletePushSubscription",
     .summary = "Deletes the push subscription of a browser",
     .description = "Push messages of the business no longer go to the browser.",
     .tag = "Integrations",
     .body = &endpoint_schema,
     .body_kind = BodyKind::object},
    {.method = Method::get,
     .path = "/api/integrations/vapid-public-key",
     .permission = Permission::read,
     .handler = get_public_key,
     .operation_id = "getVapidPublicKey",
     .summary = "Returns the public key for push subscriptions of the business",
     .description = "A browser needs the key to subscribe to push messages of the business.",
     .tag = "Integrations",
     .answer = &public_key_schema},
};

}  // namespace

std::span<const Endpoint> subscription_endpoints() { return subscription_endpoint_table; }

}  // namespace waybill::api
