// The alert settings of a business.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "base/ascii.hpp"
#include "net/http/webhook_signature.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/alerts.sql.hpp"
#include "storage/sql/business_defaults.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t most_emails = 20;
constexpr std::size_t longest_url = 2'000;
constexpr double most_minutes = 10'080;  // a week
constexpr std::int64_t default_minutes = 60;
constexpr std::string_view causes[] = {"run_dead",         "workflow_paused", "import_failed",
                                       "destination_down", "workflow_silent", "import_silent",
                                       "scans_silent",     "label_unknown",   "label_failed",
                                       "label_doubled",    "label_dearer",    "label_of_cancelled_order"};

constexpr Property webhook_properties[] = {
    {.name = "url",
     .kind = Kind::string,
     .nullable = false,
     .max_length = longest_url,
     .min_length = 1,
     .description = "Receives each alert as a POST. Required with the first webhook."},
    {.name = "secret",
     .kind = Kind::string,
     .optional = true,
     .description =
         "Signs the requests as those of workflows: `whsec_` and the base64 of 24 to 64 bytes. It is "
         "made if there is none, or for null, and is in the answer of that call only."},
};
constexpr Schema webhook_schema{"AlertWebhook", webhook_properties};

constexpr Property properties[] = {
    {.name = "emails",
     .kind = Kind::array,
     .max_length = most_emails,
     .items = Kind::email,
     .description = "Addresses that get each alert. Default: none."},
    {.name = "webhook", .kind = Kind::object, .schema = &webhook_schema, .description = "Default: none."},
    {.name = "on",
     .kind = Kind::array,
     .max_length = std::size(causes),
     .items = Kind::one_of,
     .values = causes,
     .description = "The causes that send an alert. Default: all. Owners and admins get label_unknown and "
                    "label_doubled by mail whatever the settings are."},
    {.name = "minutes",
     .kind = Kind::integer,
     .minimum = 1,
     .maximum = most_minutes,
     .description =
         "The length of a window, in which there is at most one alert for each workflow, integration or "
         "carrier and cause. Default: 60."},
};
constexpr Schema alerts_schema{"Alerts", properties};

/// The strings of an array, each once without regard to case; nullopt if it is absent. Null gives
/// `otherwise`.
std::optional<std::vector<std::string>> texts_at(const json::object& body, std::string_view name,
                                                 std::vector<std::string> otherwise) {
  const auto* const value = body.if_contains(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_null()) return otherwise;
  std::vector<std::string> texts;
  for (const json::value& entry : value->as_array()) {
    const std::string text(entry.as_string());
    if (std::ranges::none_of(texts, [&](const auto& other) { return equal_ignoring_case(other, text); }))
      texts.push_back(text);
  }
  return texts;
}

bool is_null(const json::object& body, std::string_view name) {
  const auto* const value = body.if_contains(name);
  return value != nullptr && value->is_null();
}

json::object settings_of(const sql::alerts::Get::Row& row) {
  const auto parsed = [](std::string_view text) { return std::get<json::value>(parse_json(text)); };
  json::value webhook;
  if (row.webhook_url) webhook = json::object{{"url", *row.webhook_url}};
  return {{"emails", parsed(row.emails)},
          {"webhook", std::move(webhook)},
          {"on", parsed(row.causes)},
          {"minutes", row.minutes}};
}

asio::awaitable<Answer> get_alerts(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::alerts::Get{.business = call.business()});
  co_return Answer::of(to_json(settings_of(rows.front())));
}

void check_webhook(const json::object& body, const Settings& settings) {
  FieldErrors errors;
  if (const auto url = text_at(body, "webhook.url")) {
    if (auto problem = net::check_url(*url, settings.destinations))
      errors.push_back({"webhook.url", std::move(*problem)});
  }
  const auto secret = text_at(body, "webhook.secret");
  if (secret && !net::WebhookSecret::parse(*secret))
    errors.push_back({"webhook.secret", "must be \"whsec_\" and the base64 of 24 to 64 bytes"});
  if (!errors.empty()) throw invalid(std::move(errors));
}

asio::awaitable<Answer> change_alerts(Call& call, Services& services) {
  const auto& body = call.object();
  check_webhook(body, services.settings);
  const auto* const webhook = find_value(body, "webhook");
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::business_defaults::Begin{.business = call.business()});
  const auto locked = co_await transaction->run(sql::alerts::Lock{.business = call.business()});
  const bool has_webhook = locked.front().webhook_url.has_value();
  if (webhook != nullptr && !has_webhook && !text_at(body, "webhook.url"))
    throw invalid("webhook.url", "is required");

  std::optional<std::string> secret = text_at(body, "webhook.secret");
  std::optional<std::string> made;
  if (webhook != nullptr && !secret && (!has_webhook || is_null(webhook->as_object(), "secret"))) {
    made = net::WebhookSecret::random().text();
    secret = made;
  }
  std::optional<Bytes> sealed;
  if (secret) sealed = services.secrets.seal(*secret, storage::alert_secret_purpose(call.business()));
  const auto* const minutes = body.if_contains("minutes");
  co_await transaction->run(
      sql::alerts::Change{.business = call.business(),
                          .emails = texts_at(body, "emails", {}),
                          .causes = texts_at(body, "on", {std::begin(causes), std::end(causes)}),
                          .minutes = minutes == nullptr   ? std::nullopt
                                     : minutes->is_null() ? std::optional(default_minutes)
                                                          : std::optional(minutes->to_number<std::int64_t>()),
                          .webhook_url = text_at(body, "webhook.url"),
                          .sealed_secret = sealed,
                          .without_webhook = is_null(body, "webhook")});
  co_await transaction->run(sql::alerts::MoveWindows{.business = call.business()});
  const auto rows = co_await transaction->run(sql::alerts::Get{.business = call.business()});
  json::object answer = settings_of(rows.front());
  co_await transaction->commit();
  if (made) answer["webhook"].as_object()["secret"] = *made;
  co_return Answer::of(to_json(answer));
}

const Endpoint alert_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/business/alerts",
     .permission = Permission::read,
     .handler = get_alerts,
     .operation_id = "getAlerts",
     .summary = "Returns the alert settings",
     .description = "The secret of the webhook is not shown.",
     .tag = "Business",
     .answer = &alerts_schema},
    {.method = Method::put,
     .path = "/api/business/alerts",
     .permission = Permission::administer,
     .handler = change_alerts,
     .operation_id = "updateAlerts",
     .summary = "Updates the alert settings",
     .description = "Fields that are left out keep their values, null sets the default. There is at most one "
                    "alert for each workflow (or integration, or carrier) and cause in a window. If more "
                    "fails, one summary "
                    "with the count follows when the window is over.",
     .tag = "Business",
     .body = &alerts_schema,
     .body_kind = BodyKind::object,
     .answer = &alerts_schema},
};

}  // namespace

std::span<const Endpoint> alert_endpoints() { return alert_endpoint_table; }

}  // namespace waybill::api
