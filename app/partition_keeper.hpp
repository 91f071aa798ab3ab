#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace waybill::app {

/// Makes the partitions of the coming days when it starts and every hour, on a thread of its own: writers
/// need them also while no worker runs. A database that is away is tried again after some seconds.
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
