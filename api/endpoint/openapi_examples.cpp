#include "api/endpoint/openapi_examples.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace waybill::api {
namespace {

struct Example {
  std::string_view name;  // name of a property, or of a schema and a property: "Carrier.code"
  std::string_view json;
};

/// The usual value of a field of this name. A field that is not listed gets a value of its kind.
constexpr Example examples[] = {
    {"accountNumber", R"("4711-0815")"},
    {"address", R"("12 Harbour Road, Dublin D01 F5P2")"},
    {"apiUrl", "null"},
    {"auth", R"("BTBZMqHH6r4Tts7J_aSIgg")"},
    {"batteryLevel", "87"},
    {"carrierTrackingNumber", R"("1Z999AA10123456784")"},
    {"carrierTrackingUrl", R"("https://www.ups.com/track?tracknum=1Z999AA10123456784")"},
    {"city", R"("Dublin")"},
    {"code", R"("express")"},
    {"color", R"("#1a73e8")"},
    {"company", R"("Analytical Engines Ltd")"},
    {"conditions", R"({"status": {"in": ["shipped", "delivered"]}})"},
    {"confirmPassword", R"("correct horse battery")"},
    {"country", R"("Ireland")"},
    {"currency", R"("EUR")"},
    {"customsValue", "12.5"},
    {"description", R"("Desk lamp")"},
    {"deviceId", R"("GPS-000123")"},
    {"email", R"("ada@example.com")"},
    {"endpoint", R"("https://push.example.com/send/abc123")"},
    {"end", R"("11:30")"},
    {"endLocation", R"("Cork, Ireland")"},
    {"entityType", R"("Order")"},
    {"error", "null"},
    {"estimatedDays", R"("1-2")"},
    {"estimatedDuration", R"("3h 45m")"},
    {"externalId", R"("727")"},
    {"firstName", R"("Ada")"},
    {"fuelUsed", "null"},
    {"height", "12"},
    {"hsCode", R"("940521")"},
    {"inboundSecret", R"("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")"},
    {"index", "0"},
    {"instructions", R"("Ring twice")"},
    {"isReturn", "false"},
    {"lastName", R"("Lovelace")"},
    {"latitude", "53.3498"},
    {"length", "30"},
    {"licenseNumber", R"("D-4711-0815")"},
    {"licensePlate", R"("241-D-1234")"},
    {"location", R"("Dublin, Ireland")"},
    {"logoUrl", R"("https://shop.example.com/logo.png")"},
    {"longitude", "-6.2603"},
    {"make", R"("Renault")"},
    {"model", R"("Master")"},
    {"name", R"("Ada Lovelace")"},
    {"notes", R"("Ring twice")"},
    {"orderNumber", R"("ORD-000042")"},
    {"originCountry", R"("PT")"},
    {"p256dh",
     R"("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")"},
    {"password", R"("correct horse battery")"},
    {"phone", R"("+353 1 234 5678")"},
    {"pausedReason", "null"},
    {"postalCode", R"("D01 F5P2")"},
    {"price", "19.9"},
    {"problem", "null"},
    {"provider", R"("woocommerce")"},
    {"providerType", R"("ecommerce")"},
    {"publicKey",
     R"("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")"},
    {"quantity", "2"},
    {"role", R"("operator")"},
    {"secret", R"("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")"},
    {"serviceLevel", R"("express")"},
    {"defaultServiceLevel", R"("express")"},
    {"sku", R"("LAMP-1")"},
    {"start", R"("09:30")"},
    {"startLocation", R"("Dublin, Ireland")"},
    {"state", R"("Leinster")"},
    {"storeUrl", R"("https://shop.example.com")"},
    {"street", R"("12 Harbour Road")"},
    {"subject", R"("Your order {{orderNumber}} is on its way")"},
    {"timezone", R"("Europe/Dublin")"},
    {"token", R"("wb_…")"},
    {"trackingNumber", R"("WB1234567890")"},
    {"trackingUrl", R"("https://waybill.example.com/track/0f1e2d3c4b5a69788796a5b4c3d2e1f0")"},
    {"trackingUrlPattern", R"("https://bikes.example.com/parcels/{number}")"},
    {"travelTime", R"("3h 45m")"},
    {"trigger", R"("order_status_changed")"},
    {"unit", R"("cm")"},
    {"weight", "1.5"},
    {"width", "20"},
    {"year", "2024"},
    {"apiKey", R"("key-4711")"},
    {"apiSecret", R"("secret-4711")"},
    {"by", R"("customer.email")"},
    {"cron", R"("0 8 * * 1-5")"},
    {"currentPassword", R"("correct horse")"},
    {"externalReference", R"("CRM-4711")"},
    {"field", R"("estimatedDelivery")"},
    {"filter", R"("status eq 'pending'")"},
    {"method", R"("Express delivery")"},
    {"offset", R"("-PT2H")"},
    {"orderBy", R"("createdAt desc")"},
    {"requestId", R"("5f0d6a3c9e1b4d27")"},
    {"senderName", R"("Harbour Goods")"},
    {"shippingMethod", R"("Express delivery")"},
    {"tags", R"(["vip"])"},
    {"triggers", R"(["order_shipped"])"},
    {"url", R"("https://example.com/hook")"},
    {"nextCursor", R"("uB4yq0hJ3cR2rXw7")"},
    {"note", R"("The customer collects it")"},
    // The following belong together in their schema, or mean something else in it.
    {"WorkflowWindow.from", R"("08:00")"},
    {"WorkflowWindow.to", R"("18:00")"},
    {"Actor.name", R"("Ada Lovelace")"},
    {"BusinessCalendar.holidays", R"(["2026-12-25"])"},
    {"BusinessCalendar.workdays", R"(["mon", "tue", "wed", "thu", "fri"])"},
    {"Carrier.connector", R"("karrio")"},
    {"Carrier.features", R"(["rates", "labels", "void", "tracking"])"},
    {"ConditionField.path", R"("totalValue")"},
    {"ConditionField.values", "null"},
    {"Login.link", "null"},
    {"Login.session", "null"},
    {"OrderUpdate.status", "null"},
    {"SearchEntry.title", R"("SO-1001")"},
    {"SearchEntry.subtitle", R"("Ada Lovelace, Hamburg")"},
    {"SearchEntry.status", R"("processing")"},
    {"SentRequest.response", R"("ok")"},
    {"ShipmentScanResult.error", R"("There is no such shipment.")"},
    {"ShipmentUpdate.status", "null"},
    {"AuditActor.type", R"("user")"},
    {"AuditEntry.entityName", R"("Send shipped orders to the ERP")"},
    {"BusinessCreate.name", R"("Harbour Goods")"},
    {"BusinessUpdate.name", R"("Harbour Goods")"},
    {"BusinessSummary.name", R"("Harbour Goods")"},
    {"Business.name", R"("Harbour Goods")"},
    {"Carrier.code", R"("harbour-express")"},
    {"Carrier.name", R"("Harbour Express")"},
    {"CarrierConfiguration.apiUrl", R"("https://karrio.example.com")"},
    {"CarrierConfiguration.labelFormat", R"("pdf")"},
    {"CarrierConfiguration.serviceCodes", R"({"standard": "ups_ground", "express": "ups_next_day_air"})"},
    {"CarrierConfigured.name", R"("Harbour Express")"},
    {"CarrierContact.role", R"("Account manager")"},
    {"CarrierContactCreate.role", R"("Account manager")"},
    {"ConfiguredCarrier.connector", R"("karrio")"},
    {"CarrierServiceCodes.standard", R"("ups_ground")"},
    {"CarrierServiceCodes.express", R"("ups_next_day_air")"},
    {"CarrierServiceCodes.sameday", "null"},
    {"RateCarrier.name", R"("Harbour Express")"},
    {"RateCharge.name", R"("Fuel surcharge")"},
    {"RateMessage.code", R"("PostalCode.Invalid")"},
    {"RateMessage.message", R"("The postal code does not exist.")"},
    {"ShipmentRate.rateId", R"("eyJjYXJyaWVyIjoi")"},
    {"ShipmentRate.serviceCode", R"("ups_ground")"},
    {"ShipmentRate.serviceName", R"("UPS Ground")"},
    {"ShipmentRatesRequest.carrierIds", "null"},
    {"CarrierOfPurchase.name", R"("Harbour Express")"},
    {"Purchase.attempt", "1"},
    {"Purchase.status", R"("bought")"},
    {"Purchase.connector", R"("karrio")"},
    {"Purchase.serviceLevel", R"("standard")"},
    {"Purchase.serviceCode", R"("ups_ground")"},
    {"Purchase.serviceName", R"("UPS Ground")"},
    {"Purchase.quote", "7.35"},
    {"Purchase.quoteCurrency", R"("EUR")"},
    {"Purchase.price", "7.35"},
    {"Purchase.isDearer", "false"},
    {"Purchase.maxPrice", "10"},
    {"Purchase.maxPriceCurrency", R"("EUR")"},
    {"Purchase.testMode", "false"},
    {"Purchase.gatewayId", R"("shp_1f0e3dad")"},
    {"Purchase.carrierTrackingNumbers", R"(["1Z999AA10123456784"])"},
    {"Purchase.hasLabel", "true"},
    {"Purchase.voidState", "null"},
    {"Purchase.resolution", "null"},
    {"Purchase.strayOf", "null"},
    {"Purchase.voidedAt", "null"},
    {"RunStep.carrier", R"("Harbour Express")"},
    {"RunStep.labelStatus", R"("bought")"},
    {"RunStep.serviceCode", R"("ups_ground")"},
    {"PurchaseSum.purchases", "1"},
    {"PurchaseSum.paid", "7.35"},
    {"PurchaseSum.returned", "0"},
    {"PurchaseResolve.outcome", R"("bought")"},
    {"PurchaseResolve.label", "null"},
    {"ShipmentLabelPurchase.rateId", "null"},
    {"ShipmentLabelPurchase.serviceLevel", R"("standard")"},
    {"ShipmentLabelPurchase.choose", "null"},
    {"ShipmentLabelPurchase.serviceCodes", "null"},
    {"ShipmentLabelPurchase.carrierIds", "null"},
    {"ShipmentLabelPurchase.maxPrice", "10"},
    {"ShipmentLabelPurchase.format", R"("pdf")"},
    {"Package.carrierTrackingNumber", R"("1Z999AA10123456784")"},
    {"CarrierCreate.code", R"("harbour-express")"},
    {"CarrierCreate.name", R"("Harbour Express")"},
    {"CarrierEntry.code", R"("harbour-express")"},
    {"CarrierEntry.name", R"("Harbour Express")"},
    {"CarrierOfShipment.name", R"("Harbour Express")"},
    {"CarrierUpdated.name", R"("Harbour Express")"},
    {"CodeAndName.name", R"("Express")"},
    {"ConfiguredCarrier.code", R"("harbour-express")"},
    {"ConfiguredCarrier.name", R"("Harbour Express")"},
    {"CustomerContact.role", R"("Billing")"},
    {"CustomerContactCreate.role", R"("Billing")"},
    {"CustomerContactUpdate.role", R"("Billing")"},
    {"CustomerReference.type", R"("vat")"},
    {"CustomerReference.value", R"("IE1234567T")"},
    {"CustomerReferenceAdd.type", R"("vat")"},
    {"CustomerReferenceAdd.value", R"("IE1234567T")"},
    {"DeviceVehicle.name", R"("Van 3")"},
    {"DimensionPreset.name", R"("Small parcel")"},
    {"DimensionPresetCreate.name", R"("Small parcel")"},
    {"Dispatch.name", R"("Dublin, morning")"},
    {"DispatchChanged.name", R"("Dublin, morning")"},
    {"DispatchCreate.name", R"("Dublin, morning")"},
    {"DispatchCreated.name", R"("Dublin, morning")"},
    {"DispatchEntry.name", R"("Dublin, morning")"},
    {"DispatchOfShipment.name", R"("Dublin, morning")"},
    {"DispatchUpdate.name", R"("Dublin, morning")"},
    {"DispatchVehicle.name", R"("Van 3")"},
    {"ExplainedWorkflow.reason", "null"},
    {"ExplainedWorkflow.name", R"("Send shipped orders to the ERP")"},
    {"Health.status", R"("ok")"},
    {"IntegrationProvider.code", R"("woocommerce")"},
    {"IntegrationProvider.name", R"("WooCommerce")"},
    {"IntegrationProvider.type", R"("ecommerce")"},
    {"IntegrationRunError.reason", R"("The order has no items.")"},
    {"ShipmentScan.shipmentId", "null"},
    {"Order.carrier.name", R"("Harbour Express")"},
    {"Order.deliveryAddress.name", R"("Ada Lovelace")"},
    {"Order.source.externalId", R"("727")"},
    {"Order.source.integration.name", R"("https://shop.example.com")"},
    {"Order.source.type", R"("import")"},
    {"Order.source.url", R"("https://shop.example.com/admin/orders/727")"},
    {"Order.tags", R"("vip")"},
    {"Order.totalValue", "39.8"},
    {"OrderCarrier.name", R"("Harbour Express")"},
    {"OrderStatusChange.notes", R"("Packed")"},
    {"OrderHistoryEntry.notes", R"("Packed")"},
    {"OrderHistoryEntry.from", R"("pending")"},
    {"OrderHistoryEntry.to", R"("processing")"},
    {"Product.variants.name", R"("Desk lamp")"},
    {"ProductName.name", R"("Desk lamp")"},
    {"ProductSummary.name", R"("Desk lamp")"},
    {"ProviderCredentials.apiKey", R"("Consumer key, ck_…")"},
    {"ProviderCredentials.apiSecret", R"("Consumer secret, cs_…")"},
    {"RenderedTemplate.body", R"("Hello Ada Lovelace, your order has left us.")"},
    {"RenderedTemplate.html", R"("<p>Hello Ada Lovelace, your order has left us.</p>")"},
    {"RenderedTemplate.subject", R"("Your order ORD-000042 is on its way")"},
    {"RenderedTemplate.title", "null"},
    {"RenderedTemplate.url", "null"},
    {"Run.code", "null"},
    {"Run.nextAttemptAt", "null"},
    {"Run.replayOf", "null"},
    {"Run.status", R"("succeeded")"},
    {"Run.attempts", "1"},
    {"RunAttempt.durationMs", "12.5"},
    {"RunAttempt.response", R"("ok")"},
    {"RunAttempt.statusCode", "200"},
    {"RunEntry.code", "null"},
    {"RunEntry.nextAttemptAt", "null"},
    {"RunEntry.replayOf", "null"},
    {"RunEntry.status", R"("succeeded")"},
    {"RunEntry.attempts", "1"},
    {"ConditionResult.path", R"("totalValue")"},
    {"ConditionResult.operator", R"("gte")"},
    {"ConditionResult.expected", "100"},
    {"ConditionResult.actual", "139.97"},
    {"ServiceLevel.name", R"("Express")"},
    {"Shipment.carrier.name", R"("Harbour Express")"},
    {"Shipment.trace.description", R"("Arrived at the depot")"},
    {"ShipmentTrace.description", R"("Arrived at the depot")"},
    {"ShipmentTraceReport.description", R"("Arrived at the depot")"},
    {"StoreCredentials.apiKey", R"("ck_1f2e3d4c5b6a")"},
    {"StoreCredentials.apiSecret", R"("cs_6a5b4c3d2e1f")"},
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
    {"TemplateUpdate.body", R"("Hello {{customer.name}}, your order has left us.")"},
    {"TemplateUpdate.code", R"("order_shipped")"},
    {"TemplateUpdate.html", R"("<p>Hello {{customer.name}}, your order has left us.</p>")"},
    {"TemplateUpdate.name", R"("Order shipped")"},
    {"TemplateUpdate.title", "null"},
    {"TemplateUpdate.url", R"("https://example.com/unsubscribe")"},
    {"TemplateUpdate.ifVersion", "null"},
    {"TemplatePreview.body", R"("Hello {{customer.name}}, your order has left us.")"},
    {"TemplatePreview.html", R"("<p>Hello {{customer.name}}, your order has left us.</p>")"},
    {"TemplatePreview.title", "null"},
    {"TemplatePreview.url", R"("https://example.com/unsubscribe")"},
    {"Token.name", R"("ERP")"},
    {"TokenCreate.expiresAt", R"("2030-01-01T00:00:00Z")"},
    {"TokenCreate.name", R"("ERP")"},
    {"TokenCreated.name", R"("ERP")"},
    {"TokenEntry.name", R"("ERP")"},
    {"TrackingDevice.type", R"("gps_tracker")"},
    {"TrackingDeviceCreate.type", R"("gps_tracker")"},
    {"Position.error", "null"},
    {"Trigger.code", R"("order_status_changed")"},
    {"Trigger.description", R"("An order's status changes.")"},
    {"Trigger.name", R"("Order status changed")"},
    {"Variant.name", R"("Desk lamp, black")"},
    {"VariantCreate.name", R"("Desk lamp, black")"},
    {"VariantName.name", R"("Desk lamp, black")"},
    {"VariantOfProduct.name", R"("Desk lamp, black")"},
    {"VariantSummary.name", R"("Desk lamp, black")"},
    {"Vehicle.name", R"("Van 3")"},
    {"VehicleChanged.name", R"("Van 3")"},
    {"VehicleCreate.name", R"("Van 3")"},
    {"VehicleCreated.name", R"("Van 3")"},
    {"VehicleUpdate.name", R"("Van 3")"},
    {"Workflow.triggers", R"(["order_shipped"])"},
    {"Workflow.steps", "null"},
    {"WorkflowConfigured.steps", "null"},
    {"WorkflowDefinition.steps", "null"},
    {"WorkflowRestored.steps", "null"},
    {"Workflow.name", R"("Send shipped orders to the ERP")"},
    {"WorkflowBacktest.definition", "null"},
    {"WorkflowConfigure.action", R"({"type": "webhook", "recipient": "https://example.com/hook"})"},
    {"WorkflowConfigure.guid", "null"},
    {"WorkflowConfigure.ifVersion", "null"},
    {"WorkflowConfigure.triggerId", "null"},
    {"WorkflowConfigure.triggers", R"(["order_shipped"])"},
    {"WorkflowConfigure.timer", "null"},
    {"WorkflowConfigure.schedule", "null"},
    {"WorkflowConfigure.query", "null"},
    {"WorkflowConfigure.each", "null"},
    {"WorkflowConfigure.runWhenEmpty", "null"},
    {"WorkflowConfigure.digest", "null"},
    {"Workflow.digest", "null"},
    {"WorkflowDefinition.digest", "null"},
    {"WorkflowConfigure.steps", "null"},
    {"WorkflowConfigure.workdays", "false"},
    {"Workflow.workdays", "false"},
    {"WorkflowDefinition.workdays", "false"},
    {"WorkflowConfigure.name", R"("Send shipped orders to the ERP")"},
    {"WorkflowConfigured.name", R"("Send shipped orders to the ERP")"},
    {"WorkflowEntry.name", R"("Send shipped orders to the ERP")"},
    {"WorkflowEntry.triggers", R"(["order_shipped"])"},
    {"WorkflowEntry.action", R"("webhook")"},
    {"WorkflowHeaders.headers", R"({"X-Api-Key": "4711"})"},
    {"WorkflowTest.definition", "null"},
    {"OrderBulk.orders",
     R"([{"customer": {"name": "Ada Lovelace", "email": "ada@example.com"},
         "items": [{"description": "Desk lamp", "quantity": 1, "price": 39.8}],
         "deliveryAddress": {"street": "12 Harbour Road", "city": "Dublin"}}])"},
    {"OrderBulk.atomic", "false"},
    {"OrderBulkResult.status", "400"},
    {"OrderBulkResult.error",
     R"({"code": "VALIDATION_ERROR", "message": "Some fields are invalid.",
         "details": {"items[0].quantity": "must be at least 1"}})"},
    {"WebhookAction.recipient", R"("https://example.com/hook")"},
    {"WebhookAction.template", "null"},
    {"WebhookAction.headers", R"({"X-Api-Key": "********"})"},
    {"PlannedWebhook.url", R"("https://example.com/hook")"},
    {"PlannedWebhook.headers", R"({"Content-Type": "application/json"})"},
    {"PlannedWebhook.body", R"("{\"type\":\"order_status_changed\"}")"},
};

const Example* named(std::string_view name) {
  const auto found = std::ranges::find(examples, name, &Example::name);
  return found == std::end(examples) ? nullptr : found;
}

const Example* of_schema(std::string_view schema, std::string_view property) {
  return named(std::string(schema) + '.' + std::string(property));
}

const Example* find(std::string_view schema, std::string_view property) {
  const Example* const exact = of_schema(schema, property);
  return exact == nullptr ? named(property) : exact;
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

/// True if a value of the table above is of the property's kind.
bool fits(const Property& property, const json::value& value) {
  if (property.kind == Kind::any) return true;
  if (value.is_null()) return property.nullable && !property.required;
  switch (property.kind) {
    case Kind::object:
    case Kind::uuid:
      return false;
    case Kind::array:
      return value.is_array() && property.schema == nullptr;
    case Kind::integer:
      return value.is_int64();
    case Kind::number:
    case Kind::money:
      return value.is_number();
    case Kind::boolean:
      return value.is_bool();
    case Kind::one_of:
      return value.is_string() && std::ranges::find(property.values, std::string_view(value.get_string())) !=
                                      property.values.end();
    default:
      return value.is_string() && !text_problem(property.kind, value.get_string());
  }
}

json::object object_of(const Schema& schema, bool in_request);

/// A value without an example of its own.
json::value value_of(const Property& property, bool in_request) {
  if (property.schema == nullptr) {
    if (property.kind == Kind::object) return json::object();
    const auto kind = property.kind == Kind::array ? property.items : property.kind;
    auto value = of_kind(kind, property.values, property.minimum);
    return property.kind == Kind::array ? json::value(json::array{std::move(value)}) : value;
  }
  const Schema& schema = *property.schema;
  auto value =
      schema.values.empty() ? json::value(object_of(schema, in_request)) : json::value(schema.values.front());
  return property.kind == Kind::array ? json::value(json::array{std::move(value)}) : value;
}

/// The value of a property in an example; nullopt if another field of the request excludes it.
std::optional<json::value> example_of(const Schema& schema, const Property& property, bool in_request) {
  if (!property.example.empty()) return json::parse(property.example);
  for (const Example* const example : {of_schema(schema.name, property.name), named(property.name)}) {
    if (example == nullptr) continue;
    json::value value = json::parse(example->json);
    if (value.is_null() && in_request) return std::nullopt;
    if (fits(property, value)) return value;
  }
  return value_of(property, in_request);
}

json::object object_of(const Schema& schema, bool in_request) {
  if (!schema.variants.empty()) return object_of(*schema.variants.front(), in_request);
  json::object object;
  for (const Property& property : schema.properties) {
    if (in_request && property.read_only) continue;
    const auto value = example_of(schema, property, in_request);
    if (value) object[property.name] = *value;
  }
  return object;
}

}  // namespace

json::object example_request(const Schema& schema) { return object_of(schema, true); }
json::object example_answer(const Schema& schema) { return object_of(schema, false); }

json::value usual_value(std::string_view schema, std::string_view property) {
  const Example* const example = find(schema, property);
  return example == nullptr ? json::value() : json::parse(example->json);
}

}  // namespace waybill::api
