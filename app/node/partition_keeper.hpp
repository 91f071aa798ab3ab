#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace waybill::app {

/// Creates the partitions of the coming days at its start and every hour, on its own thread: writers need
/// them even while no worker runs. If the database is unavailable, it retries after 10 s.
class PartitionKeeper {
 public:
  explicit PartitionKeeper(std::string database_url);

 private:
  void run(const std::stop_token& stop);

  const std::string database_url_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;
};

}  // namespace waybill::app
