#include "app/node/partition_keeper.hpp"

#include <chrono>
#include <utility>

#include "base/observe.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/schema/partitions.hpp"

namespace waybill::app {
namespace {

using namespace std::chrono_literals;

/// Returns the time until the next call.
std::chrono::seconds make_partitions(const std::string& database_url) {
  try {
    storage::blocking::Connection session(database_url, "waybill partitions");
    storage::make_partitions(session);
    return 1h;
  } catch (const storage::DatabaseUnavailable& error) {
    observe(Observable::database_unavailable, {{"error", std::string_view(error.what())}});
    return 10s;
  } catch (const storage::StatementError& error) {
    observe(Observable::partition_failed, {{"error", std::string_view(error.what())}});
    return 1h;
  }
}

}  // namespace

PartitionKeeper::PartitionKeeper(std::string database_url)
    : database_url_(std::move(database_url)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void PartitionKeeper::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    lock.unlock();
    const auto pause = make_partitions(database_url_);
    lock.lock();
    stopped_.wait_for(lock, stop, pause, [] { return false; });
  }
}

}  // namespace waybill::app
