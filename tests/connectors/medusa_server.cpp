#include "tests/connectors/medusa_server.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/crypto.hpp"
#include "base/percent_encoding.hpp"
#include "tests/harness/network.hpp"
#include "tests/harness/packages.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view mail = "tests@shop.example";
constexpr std::string_view password = "supersecret";
constexpr Deadline start_deadline = std::chrono::minutes(3);  // enough for a busy machine

std::filesystem::path project() { return package_folder("medusa"); }

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Moves the directory of the unix socket from libpq's parameter to the host, where Medusa requires it.
std::string socket_as_host(const std::string& url) {
  const auto parameter = url.find("?host=");
  const auto host = url.find("@/");
  if (parameter == std::string::npos || host == std::string::npos) return url;
  return url.substr(0, host + 1) + percent_encode(url.substr(parameter + 6)) +
         url.substr(host + 1, parameter - host - 1);
}

std::vector<std::string> cli(std::vector<std::string> arguments) {
  std::vector<std::string> command = {"env", "-C", project(), "node", "node_modules/@medusajs/cli/cli.js"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

Process::Options options(const std::string& database_url) {
  return {.environment = {{"DATABASE_URL", socket_as_host(database_url)},
                          {"MEDUSA_DISABLE_TELEMETRY", "1"},
                          {"NODE_ENV", "production"}}};
}

void run_cli(const std::string& database_url, std::vector<std::string> arguments) {
  const auto name = arguments.front();
  const Finished done = run(cli(std::move(arguments)), options(database_url), start_deadline);
  if (done.status != 0) {
    throw std::runtime_error("medusa " + name + ": " + done.standard_output + done.standard_error);
  }
}

const json::value& success(const Response& response, std::string_view what) {
  if (response.status == 200) return response.body;
  throw std::runtime_error("medusa: " + std::string(what) + ": " + std::to_string(response.status) + " " +
                           response.text);
}

}  // namespace

bool MedusaServer::installed() {
  const auto installed = content_of(project() / "node_modules/.installed-lock.json");
  return !installed.empty() && installed == content_of(project() / "package-lock.json");
}

MedusaServer::MedusaServer() {
  // The scripts and the search module start the server once more each; an empty shop needs neither.
  run_cli(database_.url(), {"db:migrate", "--skip-scripts", "--skip-search"});
  start();
  make_user();
  make_key();
  make_shop();
}

void MedusaServer::start() {
  port_ = free_port();
  server_ = std::make_unique<Process>(cli({"start", "--host", "127.0.0.1", "--port", std::to_string(port_)}),
                                      options(database_.url()));
  if (!server_->wait_for_line("Server is ready", start_deadline)) {
    throw std::runtime_error("Medusa did not start: " + server_->standard_output() +
                             server_->standard_error());
  }
}

/// Does what `medusa user` does, which starts the server once more.
void MedusaServer::make_user() {
  post("/auth/user/emailpass/register", {{"email", mail}, {"password", password}});
  auto session = database();
  session.rows("insert into \"user\" (id, email) values ('user_tests', $1)", {std::string(mail)});
  session.exec("update auth_identity set app_metadata = '{\"user_id\": \"user_tests\"}'");
}

void MedusaServer::make_key() {
  const auto login = post("/auth/user/emailpass", {{"email", mail}, {"password", password}});
  authorization_ = "Bearer " + text_at(login, "token");
  key_ = new_key().token;
  const std::string pair = key_ + ":";
  authorization_ = "Basic " + base64({reinterpret_cast<const std::uint8_t*>(pair.data()), pair.size()});
}

void MedusaServer::make_shop() {
  const auto id_of = [](const json::value& answer, std::string_view path) {
    return text_at(answer, std::string(path) + ".id");
  };
  channel_ = id_of(get("/admin/sales-channels"), "sales_channels.0");
  region_ = id_of(post("/admin/regions",
                       {{"name", "EU"}, {"currency_code", "eur"}, {"countries", json::array{"de", "fr"}}}),
                  "region");
  location_ = id_of(post("/admin/stock-locations", {{"name", "Hamburg"}}), "stock_location");
  const std::string location = "/admin/stock-locations/" + location_;
  post(location + "/sales-channels", {{"add", json::array{channel_}}});
  post(location + "/fulfillment-providers", {{"add", json::array{"manual_manual"}}});
  post(location + "/fulfillment-sets", {{"name", "parcels"}, {"type", "shipping"}});
  const auto set = id_of(get(location + "?fields=*fulfillment_sets"), "stock_location.fulfillment_sets.0");
  json::array zones;
  for (const auto* const country : {"de", "fr"})
    zones.push_back({{"type", "country"}, {"country_code", country}});
  const auto zone = id_of(
      post("/admin/fulfillment-sets/" + set + "/service-zones", {{"name", "near"}, {"geo_zones", zones}}),
      "fulfillment_set.service_zones.0");
  profile_ =
      id_of(post("/admin/shipping-profiles", {{"name", "Default Shipping Profile"}, {"type", "default"}}),
            "shipping_profile");
  shipping_ = id_of(post("/admin/shipping-options",
                         {{"name", "parcel"},
                          {"service_zone_id", zone},
                          {"shipping_profile_id", profile_},
                          {"provider_id", "manual_manual"},
                          {"price_type", "flat"},
                          {"type", {{"label", "parcel"}, {"description", "parcel"}, {"code", "parcel"}}},
                          {"prices", json::array{json::object{{"currency_code", "eur"}, {"amount", 4.9}}}},
                          {"rules", json::array()}}),
                    "shipping_option");
  const auto variant = [](const char* size, double price) {
    return json::object{{"title", size},
                        {"sku", std::string("SH-") + size},
                        {"manage_inventory", false},
                        {"options", {{"Size", size}}},
                        {"prices", json::array{json::object{{"currency_code", "usd"}, {"amount", 25}},
                                               json::object{{"currency_code", "eur"}, {"amount", price}}}}};
  };
  const auto product =
      post("/admin/products",
           {{"title", "Shirt \"<b>\""},
            {"status", "published"},
            {"shipping_profile_id", profile_},
            {"weight", 250},
            {"options", json::array{json::object{{"title", "Size"}, {"values", json::array{"M", "L"}}}}},
            {"sales_channels", json::array{json::object{{"id", channel_}}}},
            {"variants", json::array{variant("M", 19.99), variant("L", 21)}}});
  product_ = id_of(product, "product");
  for (const auto& made : at(product, "product.variants").as_array()) {
    if (text_at(made, "title") == "M") small_ = text_at(made, "id");
  }
}

MedusaServer::Key MedusaServer::new_key() {
  const auto made = post("/admin/api-keys", {{"title", "tests"}, {"type", "secret"}});
  return {text_at(made, "api_key.id"), text_at(made, "api_key.token")};
}

void MedusaServer::revoke(const Key& key) { post("/admin/api-keys/" + key.id + "/revoke"); }

Response MedusaServer::request(std::string_view method, std::string_view path, const json::value& body) {
  // A new connection for each call, because the server may close an idle one just when it is reused (5 s).
  Http http("127.0.0.1", port_);
  http.set_deadline(std::chrono::seconds(60));
  return http.request(method, path, body, {{"Authorization", authorization_}});
}

json::value MedusaServer::get(std::string_view path) { return success(request("GET", path), path); }

json::value MedusaServer::post(std::string_view path, const json::value& body) {
  return success(request("POST", path, body), path);
}

std::string MedusaServer::draft(const json::object& changes) {
  json::object body = {
      {"email", "guest@x.example"},
      {"region_id", region_},
      {"sales_channel_id", channel_},
      {"shipping_address",
       {{"first_name", "Jörg"},
        {"last_name", "Müller"},
        {"address_1", "Weg 1"},
        {"address_2", "c/o Maier"},
        {"city", "Köln"},
        {"province", "NW"},
        {"postal_code", "50667"},
        {"country_code", "de"},
        {"phone", "+49 221 1"}}},
      {"items", json::array{json::object{{"variant_id", small_}, {"quantity", 2}},
                            json::object{{"title", "Gift \"<b>\""}, {"quantity", 1}, {"unit_price", 3.5}}}},
      {"shipping_methods",
       json::array{json::object{{"shipping_option_id", shipping_}, {"name", "parcel"}, {"amount", 4.9}}}}};
  for (const auto& [name, value] : changes) body[name] = value;
  return text_at(post("/admin/draft-orders", body), "draft_order.id");
}

std::string MedusaServer::order(const json::object& changes) {
  auto id = draft(changes);
  post("/admin/draft-orders/" + id + "/convert-to-order");
  return id;
}

std::string MedusaServer::capture(const std::string& order) {
  const auto answer = get("/admin/orders/" + order + "?fields=id,total");
  const auto made =
      post("/admin/payment-collections", {{"order_id", order}, {"amount", at(answer, "order.total")}});
  const auto paid =
      post("/admin/payment-collections/" + text_at(made, "payment_collection.id") + "/mark-as-paid",
           {{"order_id", order}});
  return text_at(paid, "payment_collection.payments.0.id");
}

std::string MedusaServer::fulfill(const std::string& order, std::optional<std::size_t> line) {
  const auto before = read(order);
  // The server lists the lines in no fixed order.
  std::map<std::string, json::value> lines;
  for (const auto& item : at(before, "items").as_array()) lines[text_at(item, "id")] = at(item, "quantity");
  json::array items;
  std::size_t index = 0;
  for (const auto& [id, quantity] : lines) {
    if (!line || *line == index) items.push_back({{"id", id}, {"quantity", quantity}});
    ++index;
  }
  const auto known = at(before, "fulfillments").as_array().size();
  post("/admin/orders/" + order + "/fulfillments", {{"items", items}});
  const auto after = read(order);
  const auto& fulfillments = at(after, "fulfillments").as_array();
  if (fulfillments.size() != known + 1) throw std::runtime_error("medusa: no fulfilment was made");
  std::string newest;  // ids increase (ULID)
  for (const auto& entry : fulfillments) newest = std::max(newest, text_at(entry, "id"));
  return newest;
}

void MedusaServer::ship(const std::string& order, const std::string& fulfillment, std::string_view number) {
  json::array items;
  json::array labels;
  const auto now = read(order);
  for (const auto& entry : at(now, "fulfillments").as_array()) {
    if (text_at(entry, "id") != fulfillment) continue;
    for (const auto& item : at(entry, "items").as_array()) {
      items.push_back({{"id", at(item, "line_item_id")}, {"quantity", at(item, "quantity")}});
    }
  }
  if (!number.empty())
    labels.push_back({{"tracking_number", number}, {"tracking_url", ""}, {"label_url", ""}});
  post("/admin/orders/" + order + "/fulfillments/" + fulfillment + "/shipments",
       {{"items", items}, {"labels", labels}});
}

json::value MedusaServer::read(const std::string& order) {
  return at(get("/admin/orders/" + order +
                "?fields=id,display_id,status,fulfillment_status,updated_at,metadata,*items,*fulfillments,"
                "*fulfillments.labels,*fulfillments.items"),
            "order");
}

}  // namespace waybill::tests
