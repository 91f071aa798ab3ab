#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/config/connections.hpp"
#include "base/secret_box.hpp"
#include "base/thread/service.hpp"

namespace waybill::app {

/// The running service: builds, connects and destroys all its parts.
class Node final : public Service {
 public:
  /// Listens at once, serves from `start` on. Throws ConfigError for an unusable address or file,
  /// DatabaseUnavailable and StatementError.
  /// `is_alive` answers /healthz on the listener of the metrics, on any thread between `start` and `stop`.
  Node(const Config& config, const std::string& database_url, std::vector<SecretBox::Key> keys, Roles roles,
       const std::function<bool()>& is_alive);
  ~Node() override;

  void start() override;

  /// True if each event loop has turned within the limit. Call it several times within each limit, between
  /// `start` and `stop`.
  bool loops_turn(std::chrono::steady_clock::duration limit);

  /// http://HOST:PORT; empty without the API. Valid from construction on.
  std::string api_url() const;

  /// Stops accepting requests, lets those in flight finish until `until`, and releases the rest: another
  /// worker or the next start continues the open runs.
  void stop(Moment until) override;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace waybill::app
