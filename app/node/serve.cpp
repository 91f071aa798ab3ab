#include "app/node/serve.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "app/keys/keys.hpp"
#include "app/postgres/postgres_cluster.hpp"
#include "app/process/liveness.hpp"
#include "app/process/service_manager.hpp"
#include "app/process/signals.hpp"
#include "base/line_output.hpp"
#include "base/observe.hpp"
#include "base/thread/thread.hpp"
#include "net/http/trust_store.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/schema/migrate.hpp"
#include "storage/settings/key_check.hpp"

namespace waybill::app {
namespace {

using namespace std::chrono_literals;
using Keys = std::vector<SecretBox::Key>;

// Their sum is below the ten seconds within which a process must end.
constexpr std::chrono::milliseconds node_grace = 6s;
constexpr std::chrono::milliseconds destruction_grace = 300ms;
constexpr std::chrono::milliseconds cluster_grace = 3s;

std::string required_database_url(const Config& config) {
  if (!config.database_url.empty()) return config.database_url;
  return PostgresCluster::url_of(config.data_dir);
}

/// The file with the API's URL, for `waybill demo`; removed by the destructor.
class ApiUrlFile {
 public:
  ApiUrlFile(const Config& config, std::string url) : path_(config.data_dir / "api-url") {
    // An API that listens on all addresses is reachable as localhost.
    for (const std::string_view any : {"//0.0.0.0:", "//[::]:"}) {
      if (const std::size_t at = url.find(any); at != std::string::npos)
        url.replace(at, any.size(), "//localhost:");
    }
    std::ofstream(path_) << url << '\n';
  }
  ~ApiUrlFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ApiUrlFile(const ApiUrlFile&) = delete;
  ApiUrlFile& operator=(const ApiUrlFile&) = delete;

 private:
  std::filesystem::path path_;
};

// A missing file is created only if it is the only one and the database has no key: otherwise a mistyped
// name would give this process a key that no other has.
Keys read_or_make_keys(const Config& config, const std::string& database_url) {
  if (config.secret_key_files.size() > 1 || std::filesystem::exists(config.secret_key_files.front()))
    return read_keys(config);
  {
    storage::blocking::Connection session(database_url, "waybill start");
    if (storage::has_secret_key(session)) return read_keys(config);
  }
  return {SecretBox::read_or_make_key(config.secret_key_files.front())};
}

void check_ca_file(const Config& config) {
  try {
    const net::TrustStore readable(config.ca_file);
  } catch (const std::runtime_error& error) {
    refuse_file("--ca-file", config.ca_file, error.what());
  }
}

/// A process that serves continues without its standard output, and without a reader of it.
void print_line(const std::string& line) { LineOutput(STDOUT_FILENO).write(line); }

/// Destroys a node that has stopped. Returns false if that is not over after `destruction_grace`, because a
/// thread is at work that nothing interrupts, such as a merge of labels. The process must then end without
/// destroying what the thread uses.
bool destroy(std::unique_ptr<Node> node) {
  const auto destroyed = std::make_shared<std::promise<void>>();
  Thread thread(ThreadKind::destruction,
                [node = std::shared_ptr<Node>(std::move(node)), destroyed](const std::stop_token&) mutable {
                  node.reset();
                  destroyed->set_value();
                });
  if (destroyed->get_future().wait_for(destruction_grace) == std::future_status::ready) return true;
  thread.detach();
  return false;
}

/// `stop_database` is called if the process ends in this function.
int run_node(const Config& config, const std::string& database_url, Keys keys, Roles roles, bool is_up,
             const ServiceManager& manager, const Signals& signals,
             const std::function<void()>& stop_database) {
  std::atomic<bool> is_alive = true;
  auto node = std::make_unique<Node>(config, database_url, std::move(keys), roles,
                                     [&is_alive] { return is_alive.load(); });
  Liveness liveness(manager, is_alive,
                    [&running = *node](Liveness::Limit limit) { return running.loops_turn(limit); });
  ServiceList services({node.get(), &liveness});
  services.start();
  std::optional<ApiUrlFile> url_file;
  if (is_up) url_file.emplace(config, node->api_url());
  if (roles.api) print_line("listening on " + node->api_url());
  manager.ready();
  signals.wait();
  manager.stopping();
  observe(Observable::server_stopping);
  services.stop(std::chrono::steady_clock::now() + node_grace);
  url_file.reset();
  if (destroy(std::move(node))) return 0;
  stop_database();
  ::_exit(0);
}

int serve_up(const Config& config, Roles roles, const ServiceManager& manager, const Signals& signals) {
  std::error_code ignored;
  std::optional<PostgresCluster> cluster;
  if (config.database_url.empty()) {
    cluster.emplace(PostgresCluster::Options{config.data_dir, config.pg_bin_dir}, signals.token());
    print_line("database " + cluster->url());
  } else {
    std::filesystem::create_directories(config.data_dir, ignored);
  }
  const std::string database_url = cluster ? cluster->url() : config.database_url;
  storage::migrate(database_url);
  const auto stop_cluster = [&cluster] {
    if (cluster) cluster->stop(cluster_grace);
  };
  const int status = run_node(config, database_url, read_or_make_keys(config, database_url), roles, true,
                              manager, signals, stop_cluster);
  stop_cluster();
  return status;
}

}  // namespace

int serve(const Config& config, Roles roles, bool is_up) {
  const ServiceManager manager;
  const Signals signals;
  check_ca_file(config);
  try {
    if (is_up) return serve_up(config, roles, manager, signals);
    return run_node(config, required_database_url(config), read_keys(config), roles, false, manager, signals,
                    [] {});
  } catch (const ClusterError&) {
    // A request to stop while the server was starting is not a failure.
    if (signals.token().stop_requested()) return 0;
    throw;
  }
}

}  // namespace waybill::app
