#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "app/config.hpp"
#include "base/secret_box.hpp"

namespace waybill::app {

/// Which parts of the service a process runs.
struct Roles {
  bool api = false;
  bool worker = false;
};

/// The running service: everything is made, put together and taken apart here.
class Node {
 public:
  /// Listens at once, serves from `start` on. Throws ConfigError for an address or a file that cannot be
  /// used, DatabaseUnavailable, StatementError.
  Node(const Config& config, const std::string& database_url, const SecretBox::Key& key, Roles roles);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  void start();

  /// http://HOST:PORT; empty without the API. Valid from construction on.
  std::string api_url() const;

  /// Stops accepting, lets what is in flight finish for up to `grace`, and releases the rest: runs that are
  /// not over are taken up by another worker or the next start.
  void stop(std::chrono::milliseconds grace);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace waybill::app
