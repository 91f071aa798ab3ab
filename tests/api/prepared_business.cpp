#include "tests/api/prepared_business.hpp"

#include <stdexcept>

#include "base/ascii.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

struct Recipe {
  std::string_view kind;
  std::string_view path;
  std::string_view body;  // "#" is a unique number
};

/// Creates a record whose guid is in the response to POST or in its Location.
constexpr Recipe recipes[] = {
    {"carrier", "/api/carriers",
     R"({"name": "Own", "code": "own-#", "type": "courier",
         "serviceLevels": [{"code": "standard", "name": "Standard", "estimatedDays": "2-3"}]})"},
    {"carrierContact", "/api/carriers/contacts",
     R"({"carrierId": "$carrier", "name": "Cora", "email": "cora@example.com", "phone": "1", "role": "billing"})"},
    {"contact", "/api/v1/Customers/$customer/contacts",
     R"({"name": "Bob", "email": "bob@example.com", "phone": "1", "role": "billing"})"},
    {"customer", "/api/v1/Customers",
     R"({"name": "Ada", "email": "ada#@example.com", "phone": "1", "company": "Engines",
         "address": {"street": "Rua 1", "city": "Lisbon", "state": "L", "postalCode": "1", "country": "Portugal"}})"},
    {"device", "/api/tracking/add-device",
     R"({"deviceId": "GPS-#", "type": "gps_tracker", "vehicleId": "$vehicle"})"},
    {"dispatch", "/api/dispatch",
     R"({"name": "Morning", "driverId": "$driver", "vehicleId": "$vehicle", "notes": "n",
         "plannedDate": "2026-11-20T08:00:00Z"})"},
    {"driver", "/api/drivers", R"({"name": "Dora", "email": "dora@example.com", "phone": "1"})"},
    {"order", "/api/v1/Orders",
     R"({"customerId": "$customer", "carrierId": "$carrier", "serviceLevel": "standard", "notes": "n",
         "items": [{"description": "Lamp", "productId": "$product", "quantity": 2, "price": 19.99,
                    "dimensions": {"length": 1, "width": 2, "height": 3, "weight": 4}}],
         "deliveryAddress": {"street": "Rua 1", "city": "Lisbon", "state": "L", "postalCode": "1",
                             "country": "Portugal"}})"},
    {"preset", "/api/v1/dimension-presets", R"({"name": "Box #", "length": 1, "width": 2, "height": 3})"},
    {"product", "/api/v1/Products",
     R"({"name": "Lamp", "sku": "LAMP-#", "price": 19.99, "weight": 1,
         "dimensions": {"length": 1, "width": 2, "height": 3}})"},
    {"shipment", "/api/v1/shipments",
     R"({"customerId": "$customer", "carrierId": "$carrier", "serviceLevel": "standard", "instructions": "ring",
         "sender": {"name": "Shop", "street": "Rua 2", "city": "Porto"},
         "recipient": {"name": "Ada", "street": "Rua 1", "city": "Lisbon"},
         "packages": [{"length": 1, "width": 2, "height": 3, "weight": 4}]})"},
    {"template", "/api/workflows/templates",
     R"({"code": "thanks-#", "name": "Thanks", "entityType": "Order", "type": "send_email", "subject": "S",
         "body": "For {{orderNumber}}"})"},
    {"token", "/api/business/tokens", R"({"name": "Spare #"})"},
    {"user", "/api/business/users", R"({"email": "prepared#-$business@example.com", "role": "viewer"})"},
    {"variant", "/api/v1/Products/$product/variants",
     R"({"name": "Red", "sku": "RED-#", "priceDifference": 1, "weight": 1,
         "dimensions": {"length": 1, "width": 2, "height": 3}})"},
    {"vehicle", "/api/vehicle",
     R"({"name": "Van", "licensePlate": "AA-#", "type": "van", "make": "M", "model": "N", "year": 2020,
         "capacity": {"weight": 1, "volume": 2}, "currentDriverId": "$driver"})"},
    // No browser is subscribed, so its runs end at once.
    {"workflow", "/api/workflows/configure",
     R"({"name": "Push #", "entityType": "Order", "triggerId": "$orderCreated",
         "action": {"type": "send_push", "title": "t", "body": "b"}})"},
    {"webhook", "/api/workflows/configure",
     R"({"name": "Hook #", "entityType": "Product", "triggerId": "$productDeleted",
         "action": {"type": "webhook", "recipient": "https://example.com/hook"}})"},
};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

[[noreturn]] void refuse(std::string_view what, const Response& response) {
  throw std::runtime_error(std::string(what) + ": " + std::to_string(response.status) + " " + response.text);
}

bool is_name(char c) { return is_letter(c) || c == '.'; }

}  // namespace

PreparedBusiness::PreparedBusiness(Tenant& tenant) : tenant_(tenant) {
  guids_["business"] = tenant_.id;
  guids_["orderCreated"] = trigger_guid("order_created");
  guids_["productDeleted"] = trigger_guid("product_deleted");
  const auto changed = tenant_.http.put(
      "/api/business",
      {{"email", "business@example.com"}, {"address", {{"street", "Rua 3"}, {"city", "Lisbon"}}}});
  if (changed.status != 200) refuse("business", changed);
  keep("user");
  keep("token");
  prepare_goods();
  prepare_workflows();
  keep("order");
  guids_["item"] = text_at(tenant_.http.get(fill("/api/v1/Orders/$order")).data(), "items.0.guid");
  prepare_deliveries();
  prepare_tracks();
}

void PreparedBusiness::prepare_goods() {
  for (const auto* kind : {"customer", "contact", "reference", "upload", "product", "variant", "preset",
                           "carrier", "carrierContact", "integration"})
    keep(kind);
  const auto configured = tenant_.http.request_text(
      "POST", "/api/carriers/configure",
      fill(R"({"carrierId": "$carrier", "accountNumber": "A-1", "defaultServiceLevel": "standard"})"));
  if (configured.status != 200) refuse("configure", configured);
}

void PreparedBusiness::prepare_deliveries() {
  for (const auto* kind : {"driver", "vehicle", "shipment", "dispatch"}) keep(kind);
  const auto add = [&](std::string_view kind) {
    guids_[std::string(kind)] = make("shipment");
    const auto added = tenant_.http.request_text(
        "POST", "/api/dispatch/add-shipment",
        fill(R"({"dispatchId": "$dispatch", "shipmentId": "$)" + std::string(kind) + R"("})"));
    if (added.status != 200) refuse("add-shipment", added);
  };
  add("packed");
  add("carried");
  add("removable");
  const auto shipped = tenant_.http.post(fill("/api/v1/Orders/$order/shipment"), json::object{});
  if (shipped.status != 201) refuse("shipment of the order", shipped);
  const auto dated = tenant_.http.request_text(
      "POST", fill("/api/v1/Orders/$order/assign-collection-date"),
      R"({"collectionDate": "2026-11-21T09:00:00Z", "timeWindow": {"start": "09:00", "end": "11:00"}})");
  if (dated.status != 200) refuse("assign-collection-date", dated);
  const auto traced = tenant_.http.post(fill("/api/v1/shipments/$packed/traces"),
                                        {{"status", "collected"}, {"description", "d"}, {"location", "l"}});
  if (traced.status != 200) refuse("traces", traced);
}

void PreparedBusiness::prepare_tracks() {
  keep("device");
  const auto device_id = text_at(tenant_.http.get(fill("/api/tracking/devices/$device")).data(), "deviceId");
  for (const auto* minute : {"00", "10"}) {
    const auto tracked = tenant_.http.post("/api/tracking/positions",
                                           {{"deviceId", device_id},
                                            {"latitude", 38.7167},
                                            {"longitude", -9.1333},
                                            {"speed", 10},
                                            {"heading", 90},
                                            {"batteryLevel", 80},
                                            {"timestamp", "2026-11-19T08:" + std::string(minute) + ":00Z"}});
    if (tracked.status != 200) refuse("positions", tracked);
  }
}

void PreparedBusiness::prepare_workflows() {
  keep("template");
  keep("webhook");
  keep("workflow");
  tenant_.create_order();
  guids_["run"] = text_at(tenant_.run_with_status(guid("workflow"), "skipped"), "guid");
}

std::string PreparedBusiness::make(std::string_view kind) {
  if (kind == "reference") return add_reference();
  if (kind == "upload") return upload();
  if (kind == "integration") return connect_store();
  for (const auto& recipe : recipes) {
    if (recipe.kind == kind) return created(recipe.path, recipe.body);
  }
  throw std::runtime_error("no recipe for a " + std::string(kind));
}

std::string PreparedBusiness::created(std::string_view path, std::string_view body) {
  auto text = fill(body);
  replace_all(text, "#", std::to_string(++count_));
  const auto response = tenant_.http.request_text("POST", fill(path), text);
  if (response.status != 201) refuse(path, response);
  const auto location = response.header("Location");
  return response.data().is_null() ? location.substr(location.rfind('/') + 1)
                                   : text_at(response.data(), "guid");
}

std::string PreparedBusiness::add_reference() {
  const auto response = tenant_.http.patch(fill("/api/v1/Customers/$customer/references"),
                                           {{"type", "vat"}, {"value", std::to_string(++count_)}});
  if (response.status != 200) refuse("references", response);
  return text_at(at(response.data(), "references").as_array().back(), "guid");
}

std::string PreparedBusiness::upload() {
  const auto form =
      "--end\r\nContent-Disposition: form-data; name=\"file\"; filename=\"c.csv\"\r\n\r\n"
      "name,email,phone,company,street,city,state,postalCode,country\r\nEve,eve" +
      std::to_string(++count_) + "@example.com,,,,,,,\r\n\r\n--end--\r\n";
  const auto response = tenant_.http.request_text("POST", "/api/v1/Customers/upload", form,
                                                  {{"Content-Type", "multipart/form-data; boundary=end"}});
  if (response.status != 201) refuse("upload", response);
  return std::string(response.data().as_string());
}

// Has no store: no request is ever sent to it.
std::string PreparedBusiness::connect_store() {
  return tenant_.sql.value(
      "insert into integrations (business_id, provider, store_url, api_key, auto_import, due_at) "
      "values ($1, 'woocommerce', $2, '', false, '2999-01-01') returning guid",
      {tenant_.id, "https://store-" + std::to_string(++count_) + ".example"});
}

std::string PreparedBusiness::fill(std::string_view text) {
  constexpr std::string_view further = "new.";
  std::string filled;
  for (auto dollar = text.find('$'); dollar != std::string_view::npos; dollar = text.find('$')) {
    filled += text.substr(0, dollar);
    text.remove_prefix(dollar + 1);
    std::size_t length = 0;
    while (length < text.size() && is_name(text[length])) ++length;
    const auto name = text.substr(0, length);
    filled += name.starts_with(further) ? make(name.substr(further.size())) : guid(std::string(name));
    text.remove_prefix(length);
  }
  return filled += text;
}

}  // namespace waybill::tests
