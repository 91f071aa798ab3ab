#include "api/route/openapi_examples.hpp"

#include <algorithm>
#include <string>

namespace waybill::api {
namespace {

struct Example {
  std::string_view name;  // of a property, or of a schema and a property: "Carrier.code"
  std::string_view json;
};

/// What a field of a name usually holds; the rest is told by its kind.
constexpr Example examples[] = {
    {"accountNumber", R"("4711-0815")"},
    {"address", R"("12 Harbour Road, Dublin D01 F5P2")"},
    {"auth", R"("BTBZMqHH6r4Tts7J_aSIgg")"},
    {"batteryLevel", "87"},
    {"city", R"("Dublin")"},
    {"code", R"("express")"},
    {"company", R"("Analytical Engines Ltd")"},
    {"conditions", R"({"status": {"in": ["shipped", "delivered"]}})"},
    {"confirmPassword", R"("correct horse battery")"},
    {"country", R"("Ireland")"},
    {"currency", R"("EUR")"},
    {"description", R"("Desk lamp")"},
    {"deviceId", R"("GPS-000123")"},
    {"email", R"("ada@example.com")"},
    {"emailAddress", R"("ada@example.com")"},
    {"endpoint", R"("https://push.example.com/send/abc123")"},
    {"end", R"("11:30")"},
    {"entityType", R"("Order")"},
    {"estimatedDays", R"("1-2")"},
    {"estimatedDuration", R"("3h 45m")"},
    {"firstName", R"("Ada")"},
    {"height", "12"},
    {"instructions", R"("Ring twice")"},
    {"lastName", R"("Lovelace")"},
    {"latitude", "53.3498"},
    {"length", "30"},
    {"licensePlate", R"("241-D-1234")"},
    {"longitude", "-6.2603"},
    {"name", R"("Ada Lovelace")"},
    {"notes", R"("Ring twice")"},
    {"orderNumber", R"("ORD-000042")"},
    {"p256dh",
     R"("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")"},
    {"password", R"("correct horse battery")"},
    {"phone", R"("+353 1 234 5678")"},
    {"pausedReason", "null"},
    {"postalCode", R"("D01 F5P2")"},
    {"price", "19.9"},
    {"quantity", "2"},
    {"recipient", R"("https://example.com/hook")"},
    {"role", R"("operator")"},
    {"serviceLevel", R"("express")"},
    {"sku", R"("LAMP-1")"},
    {"start", R"("09:30")"},
    {"state", R"("Leinster")"},
    {"storeUrl", R"("https://shop.example.com")"},
    {"street", R"("12 Harbour Road")"},
    {"timezone", R"("Europe/Dublin")"},
    {"totalPages", "1"},
    {"trackingNumber", R"("WB1234567890")"},
    {"trigger", R"("order_status_changed")"},
    {"unit", R"("cm")"},
    {"url", R"("https://example.com/orders/42")"},
    {"weight", "1.5"},
    {"width", "20"},
    {"year", "2024"},
    {"subject", R"("Your order {{orderNumber}} is on its way")"},
    {"provider", R"("woocommerce")"},
    {"providerType", R"("ecommerce")"},
    {"StoreCredentials.apiKey", R"("ck_1f2e3d4c5b6a")"},
    {"StoreCredentials.apiSecret", R"("cs_6a5b4c3d2e1f")"},
    {"ProviderCredentials.apiKey", R"("Consumer key, ck_…")"},
    {"ProviderCredentials.apiSecret", R"("Consumer secret, cs_…")"},
    {"IntegrationProvider.code", R"("woocommerce")"},
    {"IntegrationProvider.name", R"("WooCommerce")"},
    {"IntegrationProvider.type", R"("ecommerce")"},
    {"IntegrationRunError.externalId", R"("727")"},
    {"IntegrationRunError.reason", R"("The order has no items.")"},
    // Whose fields hang together, or mean something else there than elsewhere.
    {"Workflow.action", R"({"type": "webhook", "recipient": "https://example.com/hook"})"},
    {"WorkflowTest.definition", "null"},
    {"WorkflowBacktest.definition", "null"},
    {"WorkflowConfigure.action", R"({"type": "webhook", "recipient": "https://example.com/hook"})"},
    {"WorkflowConfigured.action",
     R"({"type": "webhook", "recipient": "https://example.com/hook", "template": null, "headers": {},
         "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"})"},
    {"Run.request", R"({"url": "https://example.com/hook", "headers": {"Content-Type": "application/json"},
                        "body": "{\"type\":\"order_status_changed\"}"})"},
    {"Run.tries", R"([{"number": 1, "startedAt": "2026-11-20T05:45:12.345Z", "durationMs": 12,
                       "statusCode": 200, "response": "ok", "error": null}])"},
    {"Template.body", R"("Hello {{customer.name}}, your order has left us.")"},
    {"Template.code", R"("order_shipped")"},
    {"Template.html", R"("<p>Hello {{customer.name}}, your order has left us.</p>")"},
    {"Template.name", R"("Order shipped")"},
    {"Template.title", "null"},
    {"Template.url", R"("https://example.com/unsubscribe")"},
    {"TemplateCreate.body", R"("Hello {{customer.name}}, your order has left us.")"},
    {"TemplateCreate.code", R"("order_shipped")"},
    {"TemplateCreate.html", R"("<p>Hello {{customer.name}}, your order has left us.</p>")"},
    {"TemplateCreate.name", R"("Order shipped")"},
    {"TemplateCreate.title", "null"},
    {"TemplateCreate.url", R"("https://example.com/unsubscribe")"},
    {"RenderedTemplate.subject", R"("Your order ORD-000042 is on its way")"},
    {"RenderedTemplate.body", R"("Hello Ada Lovelace, your order has left us.")"},
    {"RenderedTemplate.html", R"("<p>Hello Ada Lovelace, your order has left us.</p>")"},
    {"RenderedTemplate.title", "null"},
    {"RenderedTemplate.url", "null"},
    {"SecretRotation.secret", R"("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")"},
    {"WebhookSecret.secret", R"("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")"},
};

const Example* find(std::string_view schema, std::string_view property) {
  const std::string qualified = std::string(schema) + '.' + std::string(property);
  const auto named = [](std::string_view name) { return std::ranges::find(examples, name, &Example::name); };
  if (const auto exact = named(qualified); exact != std::end(examples)) return exact;
  const auto usual = named(property);
  return usual == std::end(examples) ? nullptr : usual;
}

json::value of_kind(Kind kind, std::span<const std::string_view> values, std::optional<double> minimum) {
  if (!values.empty()) return json::value(values.front());
  switch (kind) {
    case Kind::uuid:
      return "1f0e3dad-9990-4345-b743-9f8ffabdffc4";
    case Kind::email:
      return "ada@example.com";
    case Kind::integer:
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(minimum.value_or(1)));
    case Kind::number:
      return 1.5;
    case Kind::money:
      return 39.8;
    case Kind::boolean:
      return true;
    case Kind::timestamp:
    case Kind::date_or_timestamp:
      return "2026-11-20T05:45:12.345Z";
    case Kind::date:
      return "2026-11-20";
    case Kind::time_of_day:
      return "09:30";
    case Kind::duration:
      return "PT2H";
    case Kind::any:
      return json::object();
    default:
      return "text";
  }
}

/// Whether a value by one of the tables above is of the property's kind.
bool fits(const Property& property, const json::value& value) {
  switch (property.kind) {
    case Kind::object:
    case Kind::array:
    case Kind::uuid:
      return false;
    case Kind::integer:
      return value.is_int64();
    case Kind::number:
    case Kind::money:
      return value.is_number();
    case Kind::boolean:
      return value.is_bool();
    case Kind::any:
      return true;
    case Kind::one_of:
      return value.is_string() && std::ranges::find(property.values, std::string_view(value.get_string())) !=
                                      property.values.end();
    default:
      return (value.is_null() && property.nullable) ||
             (value.is_string() && !text_problem(property.kind, value.get_string()));
  }
}

json::object object_of(const Schema& schema, bool in_request) {
  json::object object;
  for (const Property& property : schema.properties) {
    if (in_request && property.read_only) continue;
    json::value& value = object[property.name];
    if (const Example* const example = find(schema.name, property.name)) {
      value = json::parse(example->json);
      if (value.is_null() && in_request) {  // another field stands in its place
        object.erase(property.name);
        continue;
      }
      if (fits(property, value)) continue;
    }
    if (property.kind == Kind::object) {
      value = property.schema ? object_of(*property.schema, in_request) : json::object();
    } else if (property.kind == Kind::array) {
      value = json::array{property.schema ? json::value(object_of(*property.schema, in_request))
                                          : of_kind(property.items, property.values, property.minimum)};
    } else {
      value = of_kind(property.kind, property.values, property.minimum);
    }
  }
  return object;
}

}  // namespace

json::object example_request(const Schema& schema) { return object_of(schema, true); }
json::object example_answer(const Schema& schema) { return object_of(schema, false); }

}  // namespace waybill::api
