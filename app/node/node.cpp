#include "app/node/node.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "api/api.hpp"
#include "app/node/database_keeper.hpp"
#include "app/node/mail_sender.hpp"
#include "app/node/metrics_server.hpp"
#include "app/node/operator_view.hpp"
#include "app/node/presence.hpp"
#include "app/node/primary_check.hpp"
#include "app/process/memory.hpp"
#include "base/json.hpp"
#include "base/observe.hpp"
#include "storage/pq/connect_params.hpp"
#include "storage/schema/migrate.hpp"
#include "storage/session/call_watch.hpp"
#include "storage/settings/key_check.hpp"
#include "storage/sql/processes.sql.hpp"
#include "storage/standbys/standby_session.hpp"
#include "worker/worker.hpp"

namespace waybill::app {
namespace {

/// Waits until the mail sender has attempted the mails that are due, for at most a second.
boost::asio::awaitable<void> send_mails(MailSender& mail_sender) {
  const auto timer = std::make_shared<boost::asio::steady_timer>(co_await boost::asio::this_coro::executor,
                                                                 std::chrono::seconds(1));
  mail_sender.post([timer] { boost::asio::post(timer->get_executor(), [timer] { timer->cancel(); }); });
  boost::system::error_code ignored;
  co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
}

MailSender::Options mail_sender_options(const Config& config, const std::string& database_url) {
  return {.database_url = database_url,
          .from = config.mail_from,
          .mail = {.smtp_url = config.smtp_url, .directory = config.mail_dir, .ca_file = config.ca_file}};
}

/// The operator's contact for push services (RFC 8292 section 2.1).
std::string push_contact(const Config& config) {
  if (config.public_url.starts_with("https://")) return config.public_url;
  const std::string& from = config.mail_from;
  const std::size_t open = from.find('<');
  return "mailto:" + (open == std::string::npos ? from : from.substr(open + 1, from.rfind('>') - open - 1));
}

net::MailOptions mail_options(const Config& config) {
  // An attempt of a run must end within 25 s (worker/delivery/runner.hpp).
  return {.smtp_url = config.smtp_url,
          .directory = config.mail_dir,
          .ca_file = config.ca_file,
          .connect_timeout = std::chrono::seconds(15),
          .total_timeout = std::chrono::seconds(20),
          .longest_wait = std::chrono::seconds(4)};
}

connectors::Connector::Options connector_options(const Config& config) {
  return {.shopify_version = config.shopify_version};
}

net::DestinationPolicy destination_policy(const Config& config) {
  return {.allow_private = config.allow_private_destinations};
}

api::Api::Options api_options(const Config& config, const std::string& database_url,
                              const ConnectionPlan& plan) {
  api::Api::Options options;
  options.server = {.host = config.listen.host,
                    .port = config.listen.port,
                    .threads = static_cast<std::size_t>(plan.io_threads),
                    .proxies = config.trusted_proxies};
  options.gate.cors_origins = config.cors_origins;
  options.gate.trusted_proxies = config.trusted_proxies;
  options.database.url = database_url;
  options.database.application_name = "waybill api";
  options.database.read_connections = plan.reads;
  options.database.write_connections = plan.writes;
  options.database.long_connections = plan.long_reads;
  options.standby_url = config.read_database_url;
  options.memory_limit =
      config.memory_limit != 0 ? static_cast<std::size_t>(config.memory_limit) : usable_memory() / 2;
  options.plans = api::Plans::parse(config.plans);
  options.gate.business_quota_factor = config.business_quota_factor;
  options.settings = {.destinations = destination_policy(config),
                      .workflow_limits = {.per_business = config.workflows_per_business,
                                          .per_trigger = config.workflows_per_trigger,
                                          .bytes_per_business = config.workflow_bytes_per_business,
                                          .delay_below = std::chrono::days(config.runs_retention_days)},
                      .account_mails = {.per_network = config.account_mails_per_network,
                                        .per_address = config.account_mails_per_address},
                      .public_url = config.public_url,
                      .push_contact = push_contact(config),
                      .mail_directory = config.smtp_url.empty() ? config.mail_dir : std::filesystem::path()};
  options.maps = {
      .geocoder_url = config.geocoder_url, .osrm_url = config.osrm_url, .ca_file = config.ca_file};
  options.stores = {.policy = destination_policy(config),
                    .ca_file = config.ca_file,
                    .connectors = connector_options(config)};
  options.gateways = {
      .policy = destination_policy(config), .ca_file = config.ca_file, .own = config.carrier_gateways};
  return options;
}

worker::Worker::Options worker_options(const Config& config, const std::string& database_url,
                                       const ConnectionPlan& plan, const std::string& api_url) {
  worker::Worker::Options options;
  options.database_url = database_url;
  options.store_reads = plan.store_reads;
  options.store_writes = plan.store_writes;
  options.destinations = destination_policy(config);
  options.ca_file = config.ca_file;
  options.mail = mail_options(config);
  options.mail_from = config.mail_from;
  options.mails_per_day = config.mails_per_day;
  options.schedule = config.retry_schedule;
  options.retention_days = static_cast<int>(config.runs_retention_days);
  options.positions_retention_days = static_cast<int>(config.positions_retention_days);
  options.deleted_retention_days = static_cast<int>(config.deleted_retention_days);
  options.blast_factor = config.blast_factor;
  options.blast_minimum = config.blast_minimum;
  options.push_contact = push_contact(config);
  options.import_interval = std::chrono::seconds(config.import_interval);
  options.connectors = connector_options(config);
  options.carrier_gateways = config.carrier_gateways;
  options.public_url = config.public_url.empty() ? api_url : config.public_url;
  return options;
}

/// The values of the options that all processes of a database need, as JSON: those that `roles` use. Without
/// --public-url the API has the address on which it listens, and a worker alone has none.
std::string common_settings(const Config& config, Roles roles) {
  json::object settings;
  for (const Option& option : options()) {
    if (!option.is_common || !option.is_used_by(roles.name())) continue;
    const auto value = config.common.find(option.name);
    settings[option.name] = value == config.common.end() ? "" : value->second;
  }
  const bool has_address = !config.public_url.empty() || !roles.api;
  settings["public-url"] = has_address ? config.public_url : "http://" + config.listen.text();
  return json::serialize(settings);
}

void check_connections(storage::blocking::Connection& session, std::int64_t wanted) {
  const auto found = session.run(storage::sql::processes::Connections{});
  const auto state = found.front();
  check_available(wanted, state.available, state.most);
  const std::string warning = too_many_allowed(state.allowed, wanted, state.available);
  if (!warning.empty()) observe(Observable::config_warning, {{"warning", warning}});
}

/// Throws if the schema is missing or old, if a secret key is missing, or if PostgreSQL has too few
/// connections. An unreachable database may come back, and is only reported.
void check_database(const std::string& database_url, const SecretBox& secrets, std::int64_t connections) {
  try {
    storage::blocking::Connection session(database_url, "waybill start");
    const auto missing = storage::compare_schema(session).missing;
    if (!missing.empty()) {
      storage::refuse_unreleased_schema(session);
      throw ConfigError("the database lacks " + missing + ": run `waybill migrate` first");
    }
    storage::check_secret_keys(session, secrets);
    check_connections(session, connections);
  } catch (const storage::DatabaseUnavailable& error) {
    observe(Observable::database_unavailable, {{"error", std::string_view(error.what())}});
  }
}

/// Throws if a server of `--read-database-url` belongs to another cluster. One that is unreachable may be
/// down for a while; it is checked again before it is used.
void check_standbys(const std::string& database_url, const std::string& standby_url) {
  const auto foreign = storage::foreign_server(database_url, standby_url);
  if (!foreign) return;
  throw ConfigError("--read-database-url names " + *foreign +
                    ", which is not a standby of --database-url: it belongs to another cluster");
}

}  // namespace

class Node::Parts {
 public:
  Parts(const Config& config, const std::string& database_url, std::vector<SecretBox::Key> keys, Roles roles,
        const std::function<bool()>& is_alive)
      : secrets_(std::move(keys)),
        connections_(plan_connections(roles, config.database_connections, config.io_threads,
                                      std::thread::hardware_concurrency())),
        metrics_host_(config.metrics_listen.host) {
    calls_.start();
    check_database(database_url, secrets_, config.database_connections);
    if (roles.api && !config.read_database_url.empty())
      check_standbys(database_url, config.read_database_url);
    presence_.emplace(Presence::Options{.database_url = database_url,
                                        .roles = roles,
                                        .connections = static_cast<int>(config.database_connections),
                                        .settings = common_settings(config, roles),
                                        .view = &view_},
                      secrets_);
    view_.on_wanted([this] { presence_->wake(); });
    if (config.serve_metrics) metrics_server_ = make_metrics_server(config, is_alive, view_);
    mail_sender_ = std::make_unique<MailSender>(mail_sender_options(config, database_url), secrets_);
    if (storage::pq::host_count(database_url) > 1) primary_check_.emplace(database_url);
    if (roles.api) {
      keeper_.emplace(database_url);
      api_ = make_api(config, database_url);
    }
    if (roles.worker)
      worker_.emplace(worker_options(config, database_url, connections_, api_url()), secrets_);
  }

  ~Parts() { stop({}); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void start() {
    if (metrics_server_) {
      const ListenAddress address{metrics_host_, metrics_server_->port()};
      observe(Observable::server_listening, {{"metrics", "http://" + address.text() + "/metrics"}});
    }
    services().start();
  }

  void stop(Service::Moment until) {
    calls_.hurry();
    services().stop(until);
  }

  bool loops_turn(std::chrono::steady_clock::duration limit) {
    // All are called, whatever the others return, because `turns` also prompts the loops that are idle.
    const bool metrics_turn = !metrics_server_ || metrics_server_->turns(limit);
    const bool api_turns = !api_ || api_->server().turns(limit);
    const bool worker_turns = !worker_ || worker_->turns(limit);
    return metrics_turn && api_turns && worker_turns;
  }

  std::string api_url() const { return api_ ? api_->url() : ""; }

 private:
  /// The worker and the API hand their work to others or finish it before the services that they use stop.
  /// The API's io threads may wait for a callback of the mail sender.
  ServiceList services() {
    std::vector<Service*> present;
    const auto add = [&](auto& service) {
      if (service) present.push_back(&*service);
    };
    add(presence_);
    add(primary_check_);
    add(keeper_);
    add(mail_sender_);
    add(metrics_server_);
    add(worker_);
    add(api_);
    return ServiceList(std::move(present));
  }

  std::unique_ptr<api::Api> make_api(const Config& config, const std::string& database_url) const {
    api::Api::Options options = api_options(config, database_url, connections_);
    options.send_mails = [mail_sender = mail_sender_.get()] { return send_mails(*mail_sender); };
    try {
      return std::make_unique<api::Api>(std::move(options), secrets_);
    } catch (const boost::system::system_error& error) {
      throw ConfigError("cannot listen on " + config.listen.text() +
                        " for --listen: " + error.code().message());
    }
  }

  storage::CallWatch calls_;  // from before the first session until after the last one
  SecretBox secrets_;
  const ConnectionPlan connections_;
  const std::string metrics_host_;
  OperatorView view_;
  std::optional<Presence> presence_;
  std::optional<PrimaryCheck> primary_check_;  // with several hosts
  std::optional<DatabaseKeeper> keeper_;
  std::unique_ptr<api::Server> metrics_server_;
  std::optional<worker::Worker> worker_;
  std::unique_ptr<MailSender> mail_sender_;
  std::unique_ptr<api::Api> api_;
};

Node::Node(const Config& config, const std::string& database_url, std::vector<SecretBox::Key> keys,
           Roles roles, const std::function<bool()>& is_alive)
    : parts_(std::make_unique<Parts>(config, database_url, std::move(keys), roles, is_alive)) {}

Node::~Node() = default;

void Node::start() { parts_->start(); }

bool Node::loops_turn(std::chrono::steady_clock::duration limit) { return parts_->loops_turn(limit); }

std::string Node::api_url() const { return parts_->api_url(); }

void Node::stop(Moment until) { parts_->stop(until); }

}  // namespace waybill::app
