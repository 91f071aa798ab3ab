#include "app/command_database.hpp"

#include <chrono>
#include <thread>

#include "storage/session.hpp"

namespace waybill::app {
namespace {

bool answers(const std::string& url) {
  try {
    storage::Session(url, "waybill command").execute("select 1");
    return true;
  } catch (const storage::DatabaseUnavailable&) {
    return false;
  }
}

}  // namespace

CommandDatabase::CommandDatabase(const Config& config) : url_(config.database_url) {
  if (!url_.empty()) return;
  url_ = PostgresCluster::url_of(config.data_dir);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!answers(url_)) {
    try {
      cluster_ =
          std::make_unique<PostgresCluster>(PostgresCluster::Options{config.data_dir, config.pg_bin_dir});
      url_ = cluster_->url();
      return;
    } catch (const ClusterInUse&) {
      // Its owner is about to start or to stop it.
      if (std::chrono::steady_clock::now() > give_up) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

}  // namespace waybill::app
