#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "app/config/config.hpp"
#include "app/postgres/child_process.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/thread.hpp"

namespace waybill::app {

/// One received webhook.
struct Delivery {
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case
  std::string body;
  std::chrono::steady_clock::time_point first_byte;
};

/// The receiver of `waybill demo`: accepts HTTP requests one at a time, answers each with 204 and keeps it
/// for `next`. Not meant for load. The constructor throws std::system_error if it cannot listen.
class DemoReceiver {
 public:
  explicit DemoReceiver(const ListenAddress& address);
  ~DemoReceiver();
  DemoReceiver(const DemoReceiver&) = delete;
  DemoReceiver& operator=(const DemoReceiver&) = delete;

  /// http://HOST:PORT/
  const std::string& url() const { return url_; }

  /// The next request in the order of arrival; nullopt after `timeout` or once stopping is requested.
  std::optional<Delivery> next(std::chrono::milliseconds timeout, const std::stop_token& stop = {});

 private:
  void serve(const std::stop_token& stop);
  std::optional<Delivery> receive(int connection);

  FileHandle listener_;
  std::string url_;
  Mutex mutex_;
  StopCondition arrived_;
  std::deque<Delivery> deliveries_ GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace waybill::app
