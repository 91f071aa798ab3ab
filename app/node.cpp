#include "app/node.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "api/accounts/password_hasher.hpp"
#include "api/gate/auth.hpp"
#include "api/gate/gate.hpp"
#include "api/gate/quota.hpp"
#include "api/http/server.hpp"
#include "api/integrations/stores.hpp"
#include "api/route/router.hpp"
#include "api/route_plans/maps.hpp"
#include "api/system/readiness.hpp"
#include "api/threads/analysis.hpp"
#include "app/mail_sender.hpp"
#include "app/partition_keeper.hpp"
#include "base/observe.hpp"
#include "storage/database.hpp"
#include "storage/key_check.hpp"
#include "worker/worker.hpp"

namespace waybill::app {
namespace {

/// What the io threads of the API share.
struct ApiCommons {
  api::Router router{api::all_routes()};
  api::Plans plans;
  api::QuotaLedger quota;
  api::PasswordHasher passwords;
  std::atomic<std::uint64_t> token_epoch = 0;
  MailCourier* courier = nullptr;
  api::Readiness readiness;
  net::DestinationPolicy destinations;
  api::Dispatcher::Options dispatch;
  storage::Database::Options database;
  std::optional<api::Analysis> analysis;
  api::Background background{{}};
  api::WorkflowLimits workflow_limits;
  std::unique_ptr<api::Maps> maps;
  std::unique_ptr<api::Stores> stores;
  std::vector<api::Services*> services;  // of the io threads
};

/// Waits until the courier has tried what waits to be mailed, for a second at most.
boost::asio::awaitable<void> send_mails(MailCourier& courier) {
  const auto timer = std::make_shared<boost::asio::steady_timer>(co_await boost::asio::this_coro::executor,
                                                                 std::chrono::seconds(1));
  courier.post([timer] { boost::asio::post(timer->get_executor(), [timer] { timer->cancel(); }); });
  boost::system::error_code ignored;
  co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
}

/// What one io thread of the API has of its own.
class ThreadResponder : public api::Responder {
 public:
  ThreadResponder(boost::asio::io_context& io, ApiCommons& commons, const SecretBox& secrets)
      : database_(io, commons.database),
        services_{.db = database_,
                  .clock = system_clock(),
                  .secrets = secrets,
                  .destinations = commons.destinations,
                  .analysis = *commons.analysis,
                  .background = commons.background,
                  .workflow_limits = commons.workflow_limits,
                  .maps = commons.maps.get(),
                  .stores = commons.stores.get(),
                  .tokens_changed = [&commons] { ++commons.token_epoch; },
                  .send_mails = [&commons] { return send_mails(*commons.courier); },
                  .passwords = &commons.passwords,
                  .readiness = &commons.readiness},
        tokens_(database_),
        authenticator_(io.get_executor(), tokens_, system_clock(), {.epoch = &commons.token_epoch}),
        leases_(database_),
        quota_(commons.quota, leases_),
        dispatcher_(commons.router, services_, authenticator_, commons.plans, quota_, commons.dispatch) {
    commons.services.push_back(&services_);
  }

  boost::asio::awaitable<void> respond(const api::Request& request, api::RequestBody& body,
                                       api::Response& response) override {
    return dispatcher_.respond(request, body, response);
  }
  void refuse(const Failure& failure, api::Response& response) override {
    dispatcher_.refuse(failure, response);
  }

 private:
  storage::Database database_;
  api::Services services_;
  api::SqlTokenStore tokens_;
  api::Authenticator authenticator_;
  api::SqlLeaseSource leases_;
  api::LeasedQuota quota_;
  api::Dispatcher dispatcher_;
};

MailCourier::Options courier_options(const Config& config, const std::string& database_url) {
  return {.database_url = database_url,
          .from = config.mail_from,
          .mail = {.smtp_url = config.smtp_url, .directory = config.mail_dir, .ca_file = config.ca_file}};
}

api::Server::Options server_options(const Config& config) {
  api::Server::Options options;
  options.host = config.listen.host;
  options.port = config.listen.port;
  options.threads = static_cast<std::size_t>(config.io_threads);
  options.proxies = config.trusted_proxies;
  return options;
}

/// Answers Prometheus.
class MetricsResponder : public api::Responder {
 public:
  boost::asio::awaitable<void> respond(const api::Request& request, api::RequestBody&,
                                       api::Response& response) override {
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    if (path == "/metrics" && (request.method == "GET" || request.method == "HEAD")) {
      response.body = metrics_text();
    } else {
      response.status = http_status(ErrorCode::not_found);
      response.body = "the metrics are at /metrics\n";
    }
    co_return;
  }
  void refuse(const Failure& failure, api::Response& response) override {
    response.status = http_status(failure.code());
    response.content_type = "text/plain";
    response.body = failure.message() + "\n";
  }
};

/// A listener of its own for Prometheus. The default address gives way when another process has it.
std::unique_ptr<api::Server> make_metrics_server(const Config& config) {
  api::Server::Options options;
  options.host = config.metrics_listen.host;
  options.port = config.metrics_listen.port;
  options.threads = 1;
  options.limits.most_connections = 32;
  const auto make_responder = [](boost::asio::io_context&) { return std::make_unique<MetricsResponder>(); };
  try {
    return std::make_unique<api::Server>(options, make_responder);
  } catch (const boost::system::system_error& error) {
    if (config.metrics_listen_chosen) {
      throw ConfigError("cannot listen on " + config.metrics_listen.text() +
                        " for --metrics-listen: " + error.code().message());
    }
  }
  options.port = 0;
  return std::make_unique<api::Server>(options, make_responder);
}

/// Where push services reach the operator (RFC 8292 section 2.1).
std::string push_contact(const Config& config) {
  if (config.public_url.starts_with("https://")) return config.public_url;
  const std::string& from = config.mail_from;
  const std::size_t open = from.find('<');
  return "mailto:" + (open == std::string::npos ? from : from.substr(open + 1, from.rfind('>') - open - 1));
}

net::MailOptions mail_options(const Config& config) {
  // A run's try must end within 25 s (worker/delivery/runner.hpp).
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

worker::Worker::Options worker_options(const Config& config, const std::string& database_url,
                                       const SecretBox::Key& key,
                                       const net::DestinationPolicy& destinations) {
  worker::Worker::Options options;
  options.database_url = database_url;
  options.secret_key = key;
  options.destinations = destinations;
  options.ca_file = config.ca_file;
  options.mail = mail_options(config);
  options.mail_from = config.mail_from;
  options.mails_per_day = config.mails_per_day;
  options.schedule = config.retry_schedule;
  options.retention_days = static_cast<int>(config.runs_retention_days);
  options.positions_retention_days = static_cast<int>(config.positions_retention_days);
  options.blast_factor = config.blast_factor;
  options.blast_minimum = config.blast_minimum;
  options.push_contact = push_contact(config);
  options.import_interval = std::chrono::seconds(config.import_interval);
  options.connectors = connector_options(config);
  return options;
}

/// A process must not begin with a database that it would misread. One that is away is waited for later.
void check_database(const std::string& database_url, const SecretBox& secrets) {
  constexpr std::string_view undefined_table = "42P01";
  try {
    storage::check_secret_key(database_url, secrets);
  } catch (const storage::DatabaseUnavailable& error) {
    observe(Observable::database_unavailable, {{"error", std::string_view(error.what())}});
  } catch (const storage::StatementError& error) {
    if (error.sqlstate() != undefined_table) throw;
    throw ConfigError("the database has no current schema: run `waybill migrate` first");
  }
}

}  // namespace

class Node::Parts {
 public:
  Parts(const Config& config, const std::string& database_url, const SecretBox::Key& key, Roles roles)
      : secrets_(key), metrics_host_(config.metrics_listen.host), database_url_(database_url) {
    check_database(database_url, secrets_);
    if (config.serve_metrics) metrics_server_ = make_metrics_server(config);
    const net::DestinationPolicy destinations{.allow_private = config.allow_private_destinations};
    if (roles.worker) worker_.emplace(worker_options(config, database_url, key, destinations));
    courier_ = std::make_unique<MailCourier>(courier_options(config, database_url), secrets_);
    if (!roles.api) return;
    api_ = std::make_unique<ApiCommons>();
    api_->plans = api::Plans::parse(config.plans);
    api_->destinations = destinations;
    api_->dispatch.cors_origins = config.cors_origins;
    api_->maps = std::make_unique<api::Maps>(api::Maps::Options{
        .geocoder_url = config.geocoder_url, .osrm_url = config.osrm_url, .ca_file = config.ca_file});
    api_->stores = std::make_unique<api::Stores>(api::Stores::Options{
        .policy = destinations, .ca_file = config.ca_file, .connectors = connector_options(config)});
    api_->dispatch.trusted_proxies = config.trusted_proxies;
    api_->database.url = database_url;
    api_->database.application_name = "waybill api";
    api_->analysis.emplace(database_url);
    api_->courier = courier_.get();
    api_->workflow_limits = {.per_business = config.workflows_per_business,
                             .per_trigger = config.workflows_per_trigger,
                             .delay_below = std::chrono::days(config.runs_retention_days)};
    listen(config);
    for (auto* const services : api_->services) {
      services->public_url = config.public_url.empty() ? url_ : config.public_url;
      services->account_mails = {.per_network = config.account_mails_per_network,
                                 .per_address = config.account_mails_per_address};
    }
  }

  ~Parts() {
    // The io threads call these, and they call back into them.
    if (server_) server_->stop(std::chrono::milliseconds(0));
    if (api_) api_->maps->shut_down();
    if (api_) api_->stores->shut_down();
    courier_.reset();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void start() {
    if (metrics_server_) {
      const ListenAddress address{metrics_host_, metrics_server_->port()};
      observe(Observable::server_listening, {{"metrics", "http://" + address.text() + "/metrics"}});
      metrics_server_->start();
    }
    if (worker_) worker_->start();
    if (server_) server_->start();
    if (api_) partitions_.emplace(database_url_);
  }

  void stop(std::chrono::milliseconds grace) {
    const auto deadline = std::chrono::steady_clock::now() + grace;
    if (server_) server_->stop(grace);
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (worker_) worker_->stop(std::max(left, std::chrono::milliseconds(0)));
    if (metrics_server_) metrics_server_->stop(std::chrono::milliseconds(0));
  }

  std::string api_url() const { return url_; }

 private:
  void listen(const Config& config) {
    try {
      server_.emplace(server_options(config), [this](boost::asio::io_context& io) {
        return std::make_unique<ThreadResponder>(io, *api_, secrets_);
      });
    } catch (const boost::system::system_error& error) {
      throw ConfigError("cannot listen on " + config.listen.text() + ": " + error.code().message());
    }
    url_ = "http://" + ListenAddress{config.listen.host, server_->port()}.text();
  }

  const SecretBox secrets_;
  const std::string metrics_host_;
  const std::string database_url_;
  std::unique_ptr<api::Server> metrics_server_;
  std::optional<worker::Worker> worker_;
  std::unique_ptr<MailCourier> courier_;
  std::unique_ptr<ApiCommons> api_;
  std::optional<api::Server> server_;
  std::optional<PartitionKeeper> partitions_;
  std::string url_;
};

Node::Node(const Config& config, const std::string& database_url, const SecretBox::Key& key, Roles roles)
    : parts_(std::make_unique<Parts>(config, database_url, key, roles)) {}

Node::~Node() = default;

void Node::start() { parts_->start(); }

std::string Node::api_url() const { return parts_->api_url(); }

void Node::stop(std::chrono::milliseconds grace) { parts_->stop(grace); }

}  // namespace waybill::app
