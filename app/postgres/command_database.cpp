#include "app/postgres/command_database.hpp"

#include <chrono>
#include <thread>

#include "storage/blocking/connection.hpp"

namespace waybill::app {
namespace {

bool is_reachable(const std::string& url) {
  try {
    storage::blocking::Connection(url, "waybill command").execute("select 1");
    return true;
  } catch (const storage::DatabaseUnavailable&) {
    return false;
  }
}

}  // namespace

CommandDatabase::CommandDatabase(const Config& config) : url_(config.database_url) {
  if (!url_.empty()) return;
  url_ = PostgresCluster::url_of(config.data_dir);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_reachable(url_)) {
    try {
      cluster_ =
          std::make_unique<PostgresCluster>(PostgresCluster::Options{config.data_dir, config.pg_bin_dir});
      url_ = cluster_->url();
      return;
    } catch (const ClusterInUse&) {
      // The owner of the cluster is about to start or stop its server.
      if (std::chrono::steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

}  // namespace waybill::app
