#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <unistd.h>

#include "api/http/session_cookie.hpp"
#include "app/accounts/accounts.hpp"
#include "app/commands/command.hpp"
#include "app/config/addresses.hpp"
#include "app/demo/api_client.hpp"
#include "app/demo/demo_receiver.hpp"
#include "app/postgres/command_database.hpp"
#include "app/process/signals.hpp"
#include "net/http/webhook_signature.hpp"

namespace waybill::app {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view business_name = "Demo";
constexpr std::string_view order_json = R"({"customer":{"name":"Ada Lovelace","email":"ada@example.com"},)"
                                        R"("items":[{"description":"Notebook","quantity":2,"price":9.95}],)"
                                        R"("deliveryAddress":{"street":"12 Crescent Road","city":"London"}})";

struct DemoOptions {
  std::string url;
  std::string receive_on = "127.0.0.1:0";
  bool keep = false;
};

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The demo business's token, created once and kept in the data directory.
std::string demo_token(const Config& config, const CommandDatabase& database, const std::string& url) {
  const std::filesystem::path file = config.data_dir / "demo-token";
  std::string kept = first_line(file);
  if (!kept.empty() && ApiClient(url, kept).call("GET", "/api/v1/Orders?PageSize=1").status == 200)
    return kept;
  TokenRequest request;
  request.business = business_name;
  request.name = "demo";
  const std::string token = create_token(database.url(), config, request).token;
  // If the token cannot be kept, the next demo creates another.
  const FileHandle token_file(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (token_file) (void)!::write(token_file.get(), token.data(), token.size());
  return token;
}

std::string field(const json::value& object, std::string_view name) {
  const json::value* value = object.is_object() ? find_path(object.get_object(), name) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// Returns the element of a list whose field has this text, or null.
json::value find_element(const json::value& list, std::string_view name, std::string_view text) {
  for (const json::value& element : list.as_array()) {
    if (field(element, name) == text) return element;
  }
  return nullptr;
}

/// Creates or changes the workflow of this name so that it sends to the receiver, or deactivates it.
void configure_workflow(ApiClient& api, const std::string& name, const std::string& trigger,
                        const std::string& receiver, const net::WebhookSecret& secret,
                        bool is_active = true) {
  const json::value found = find_element(api.data("GET", "/api/workflows/triggers/Order"), "code", trigger);
  const json::value existing = find_element(api.data("GET", "/api/workflows/Order/configured"), "name", name);
  json::object body{{"name", name},
                    {"entityType", "Order"},
                    {"triggerId", field(found, "guid")},
                    {"conditions", json::object()},
                    {"isActive", is_active},
                    {"action", {{"type", "webhook"}, {"recipient", receiver}, {"secret", secret.text()}}}};
  if (!existing.is_null()) body["guid"] = field(existing, "guid");
  const ApiClient::Answer answer = api.call("POST", "/api/workflows/configure", body);
  if (answer.status / 100 == 2) return;
  if (answer.body.is_object() && find_path(answer.body.get_object(), "error.details") != nullptr) {
    throw CommandError("the API refuses " + receiver + " as a destination (" + json::serialize(answer.body) +
                       "); start the service with --allow-private-destinations");
  }
  throw CommandError("the workflow cannot be configured: " + json::serialize(answer.body));
}

std::string_view header(const Delivery& delivery, std::string_view name) {
  const auto found = delivery.headers.find(name);
  return found == delivery.headers.end() ? std::string_view() : std::string_view(found->second);
}

bool is_signed(const Delivery& delivery, const net::WebhookSecret& secret) {
  return net::verify_webhook(secret, header(delivery, "webhook-id"), header(delivery, "webhook-timestamp"),
                             header(delivery, "webhook-signature"), delivery.body,
                             system_clock().now()) == net::SignatureCheck::valid;
}

json::value payload(const Delivery& delivery) {
  auto parsed = parse_json(delivery.body);
  auto* value = std::get_if<json::value>(&parsed);
  return value != nullptr ? std::move(*value) : json::value();
}

/// Creates one order, waits for its webhook and prints the webhook.
int show_one_order(ApiClient& api, DemoReceiver& receiver, const net::WebhookSecret& secret) {
  const json::value order = api.data("POST", "/api/v1/Orders", json::parse(order_json));
  const auto committed = std::chrono::steady_clock::now();
  std::cout << "order      " << field(order, "orderNumber") << " of the business " << business_name << '\n';
  while (const auto delivery = receiver.next(15s)) {
    const json::value body = payload(*delivery);
    if (field(body, "data.entity.guid") != field(order, "guid")) continue;
    const bool valid = is_signed(*delivery, secret);
    const std::chrono::duration<double, std::milli> took = std::max(delivery->first_byte - committed, 0ns);
    std::cout << "webhook    " << field(body, "type") << ", webhook-id " << header(*delivery, "webhook-id")
              << '\n'
              << "signature  " << (valid ? "valid" : "WRONG") << '\n'
              << "latency    " << std::fixed << std::setprecision(1) << took.count()
              << " ms from commit (the API's answer) to receipt\n";
    return valid ? 0 : 1;
  }
  throw CommandError(
      "the webhook did not arrive within 15 s; see the log of `waybill up` and GET /api/workflows/runs");
}

/// `database_url` is empty if it may hold a password.
void print_instructions(const std::string& url, const std::string& token, const std::string& database_url) {
  const std::string authorization = "-H 'Authorization: Bearer " + token + "'";
  std::cout << "\nAPI    " << url << "\ntoken  " << token << '\n';
  if (!database_url.empty()) std::cout << "SQL    psql '" << database_url << "'\n";
  std::cout << "\nCreate an order:\n\ncurl -s " << authorization
            << " -H 'Content-Type: application/json' -d '" << order_json << "' " << url << "/api/v1/Orders\n"
            << "\nShow the run that it caused:\n\ncurl -s " << authorization << " '" << url
            << "/api/workflows/runs?PageSize=1'\n"
            << "\nWebhooks appear below, with the result of the signature check (Ctrl-C ends the demo).\n";
}

/// Prints a one-time link to the console as the last line; nothing if the service's URL allows no cookie.
void print_console_link(const Config& config, const std::string& database_url) {
  if (!api::SessionCookie::of(service_url(config))) return;
  LinkRequest request;
  request.business = business_name;
  std::cout
      << "\nOpen the console, once and within 10 minutes (`waybill console-link` makes further links):\n\n"
      << make_console_link(database_url, service_url(config), request) << std::endl;
}

int keep_receiving(DemoReceiver& receiver, const net::WebhookSecret& secret, const Signals& signals) {
  const std::stop_token stop = signals.token();
  while (!stop.stop_requested()) {
    const auto delivery = receiver.next(1h, stop);
    if (!delivery) continue;
    const json::value body = payload(*delivery);
    std::cout << format_timestamp(system_clock().now()) << "  " << field(body, "type") << "  "
              << field(body, "data.entity.orderNumber") << "  " << field(body, "data.entity.status")
              << "  signature " << (is_signed(*delivery, secret) ? "valid" : "WRONG") << std::endl;
  }
  return 0;
}

ListenAddress receiver_address(const DemoOptions& options) {
  try {
    return parse_listen_address(options.receive_on);
  } catch (const ConfigError& error) {
    throw ConfigError(std::string("--receive-on ") + error.what());
  }
}

int run_demo(const Config& config, const DemoOptions& options) {
  const Signals signals;
  const ListenAddress address = receiver_address(options);
  const std::string url = options.url.empty() ? api_url(config) : options.url;
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    throw ConfigError("--url must begin with http:// or https://");
  ApiClient(url, "").call("GET", "/healthz");
  const CommandDatabase database(config);
  const std::string token = demo_token(config, database, url);
  const net::WebhookSecret secret = net::WebhookSecret::random();
  DemoReceiver receiver(address);
  ApiClient api(url, token);
  if (!options.keep) {
    // A separate workflow, deactivated afterwards: another demo may be running, and this receiver ends here.
    const auto configure = [&](bool is_active) {
      configure_workflow(api, "Demo, once", "order_created", receiver.url(), secret, is_active);
    };
    configure(true);
    const int status = show_one_order(api, receiver, secret);
    configure(false);
    return status;
  }
  for (const std::string trigger : {"order_created", "order_status_changed"}) {
    configure_workflow(api, "Demo: " + trigger, trigger, receiver.url(), secret);
  }
  print_instructions(url, token, config.database_url.empty() ? database.url() : std::string());
  print_console_link(config, database.url());
  return keep_receiving(receiver, secret, signals);
}

}  // namespace

void add_demo(const Command& program) {
  const Command demo = program.add("demo",
                                   "Creates an order and shows its signed webhook; needs a running "
                                   "`waybill up --allow-private-destinations`");
  const auto options = std::make_shared<DemoOptions>();
  demo.option("--url", options->url,
              "The API's URL [that of the `waybill up` on --data-dir, otherwise --listen]", {.name = "URL"});
  demo.option("--receive-on", options->receive_on, "The address on which the demo receives webhooks",
              {.name = "HOST:PORT", .shows_default = true});
  demo.flag("--keep", options->keep,
            "Creates no order; prints commands to try, and each webhook that arrives");
  demo.runs([options](const Config& config) { return run_demo(config, *options); });
}

}  // namespace waybill::app
