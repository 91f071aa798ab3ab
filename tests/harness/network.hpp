#pragma once

#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tests/harness/process.hpp"

namespace waybill::tests {

/// A port of the loopback device that no program listened on a moment ago.
int free_port();

/// A separate network namespace with its own file of host names. It cannot reach the host's network, so it
/// may use any public address. Needs root; `available` returns true if it can be created.
class PrivateNetwork {
 public:
  static bool available();

  /// `addresses` are added to its loopback device, in addition to 127.0.0.1.
  explicit PrivateNetwork(const std::vector<std::string>& addresses);

  /// The prefix of a command line that runs a command in the namespace.
  std::vector<std::string> enter() const;
  /// Runs `act` on a separate thread in the namespace; sockets created there stay in it on any thread.
  void inside(const std::function<void()>& act) const;
  /// Replaces /etc/hosts of the namespace.
  void set_hosts(const std::string& lines);

 private:
  TempDirectory directory_;
  std::unique_ptr<Process> holder_;
};

}  // namespace waybill::tests
