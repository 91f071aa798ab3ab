#include "tests/carriers/karrio_server.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/harness/network.hpp"
#include "tests/harness/packages.hpp"

namespace waybill::tests {
namespace {

constexpr Deadline start_deadline = std::chrono::minutes(3);  // enough for a busy machine

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The folder that tests/packages/karrio/install fills.
std::filesystem::path cache() {
  const auto given = environment("XDG_CACHE_HOME");
  const auto base =
      given.empty() ? std::filesystem::path(environment("HOME")) / ".cache" : std::filesystem::path(given);
  return base / "waybill" / "karrio-2026.1.32";
}

std::filesystem::path source_folder() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
}

/// Runs the statements of a dump.
void load(const std::string& database, const std::string& dump) {
  const Finished loaded =
      run({"psql", "-X", "-q", "-o", "/dev/null", "-v", "ON_ERROR_STOP=1", "-1", "-d", database, "-f", "-"},
          {.standard_input = dump});
  if (loaded.status != 0) throw std::runtime_error("karrio: " + loaded.standard_error);
}

const json::value& success(const Response& response, std::string_view what) {
  if (response.status >= 200 && response.status < 300) return response.body;
  throw std::runtime_error("karrio: " + std::string(what) + ": " + std::to_string(response.status) + " " +
                           response.text);
}

}  // namespace

bool KarrioServer::installed() {
  const auto installed = content_of(cache() / "installed");
  return !installed.empty() && installed == content_of(package_folder("karrio") / "requirements.txt");
}

KarrioServer::KarrioServer(CarrierCalls calls) : calls_(calls) {
  load(database_.url(), content_of(cache() / "migrated.sql"));
  live_token_ = database_.value("select key from user_token where not test_mode");
  test_token_ = database_.value("select key from user_token where test_mode");
  port_ = free_port();
  start();
  for (const bool test_mode : {false, true}) make_connection(carrier_id(), {.test_mode = test_mode});
}

void KarrioServer::start() {
  const bool once = calls_ == CarrierCalls::once;
  const std::vector<std::pair<std::string, std::string>> settings = {
      {"PYTHONPATH", once ? source_folder() / "deploy/karrio" : ""},
      {"DJANGO_SETTINGS_MODULE", once ? "karrio_calls_once" : "karrio.server.settings"},
      {"ENABLE_ALL_PLUGINS_BY_DEFAULT", "True"},
      {"SECRET_KEY", "tests"},
      {"DEBUG_MODE", "False"},
      {"ALLOWED_HOSTS", "*"},
      {"WORK_DIR", work_.path()},
      {"LOG_LEVEL", "WARNING"},
      {"DATABASE_ENGINE", "postgresql"},
      {"DATABASE_URL", database_.url()},
      {"DETACHED_WORKER", "True"},
      {"WORKER_IMMEDIATE_MODE", "True"},
      {"ANON_RATE_LIMIT", "100000/minute"},
      {"USER_RATE_LIMIT", "100000/minute"},
      {"CARRIER_REQUEST_RATE_LIMIT", "100000/minute"},
      {"KARRIO_PLUGINS", package_folder("karrio") / "plugins"},
      {"TESTCARRIER_URL", carrier_.url()},
      {"PYTHONPYCACHEPREFIX", cache() / "pycache"},
      {"PYTHONDONTWRITEBYTECODE", ""},
  };
  server_ = std::make_unique<Process>(
      std::vector<std::string>{"env", "-C", work_.path(), cache() / "venv/bin/python", "-m", "uvicorn",
                               "karrio.server.asgi:application", "--host", "127.0.0.1", "--port",
                               std::to_string(port_), "--lifespan", "off", "--no-access-log"},
      Process::Options{.environment = settings});
  if (!server_->wait_for_line("Uvicorn running on", start_deadline)) {
    throw std::runtime_error("Karrio did not start: " + server_->standard_output() +
                             server_->standard_error());
  }
  get("/v1/connections?limit=1");  // loads the rest of the server
}

void KarrioServer::kill() {
  if (!server_) return;
  server_->kill_tree();
  server_->wait_exit();
  server_.reset();
}

void KarrioServer::restart() {
  if (!server_ || !server_->running()) start();
}

std::string KarrioServer::dump() const {
  const Finished dumped =
      run({"pg_dump", "--no-owner", "--no-privileges", "--clean", "--if-exists", "-d", database_.url()});
  if (dumped.status != 0) throw std::runtime_error("karrio: " + dumped.standard_error);
  return dumped.standard_output;
}

void KarrioServer::restore(const std::string& dump) {
  kill();
  database_.terminate_connections();
  load(database_.url(), dump);
  restart();
}

std::string KarrioServer::make_connection(std::string_view name, const Credentials& credentials) {
  return text_at(post("/v1/connections",
                      {{"carrier_name", "testcarrier"},
                       {"carrier_id", name},
                       {"credentials",
                        {{"api_key", credentials.key},
                         {"account_number", name},
                         {"keeps_status", credentials.keeps_status}}}},
                      credentials.test_mode),
                 "id");
}

void KarrioServer::set_active(const std::string& connection, bool is_active, bool test_mode) {
  const auto path = "/v1/connections/" + connection;
  success(request("PATCH", path, json::object{{"active", is_active}}, test_mode), path);
}

void KarrioServer::remove_connection(const std::string& connection, bool test_mode) {
  const auto path = "/v1/connections/" + connection;
  success(request("DELETE", path, {}, test_mode), path);
}

KarrioServer::Webhook KarrioServer::make_webhook(const std::string& address, bool test_mode) {
  const auto made =
      post("/v1/webhooks", {{"url", address}, {"enabled_events", json::array{"all"}}, {"disabled", false}},
           test_mode);
  return {text_at(made, "id"), text_at(made, "secret")};
}

void KarrioServer::remove_webhook(const Webhook& webhook, bool test_mode) {
  const auto path = "/v1/webhooks/" + webhook.id;
  success(request("DELETE", path, {}, test_mode), path);
}

Response KarrioServer::request(std::string_view method, std::string_view path, const json::value& body,
                               bool test_mode) {
  Http http("127.0.0.1", port_);
  http.set_deadline(std::chrono::seconds(60));
  return http.request(method, path, body, {{"Authorization", "Token " + token(test_mode)}});
}

json::value KarrioServer::get(std::string_view path, bool test_mode) {
  return success(request("GET", path, {}, test_mode), path);
}

json::value KarrioServer::post(std::string_view path, const json::value& body, bool test_mode) {
  return success(request("POST", path, body, test_mode), path);
}

}  // namespace waybill::tests
