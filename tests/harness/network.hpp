#pragma once

#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tests/harness/process.hpp"

namespace waybill::tests {

/// A network (and a file of host names) of its own: nothing in it reaches the machine's, so addresses of the
/// whole world can be its own. Needs root; `available` says whether it can be made.
class PrivateNetwork {
 public:
  static bool available();

  /// `addresses` are added to its loopback device, beside 127.0.0.1.
  explicit PrivateNetwork(const std::vector<std::string>& addresses);

  /// Prefix of a command line that runs it in there.
  std::vector<std::string> enter() const;
  /// Runs `act` on a thread of its own that is inside: sockets it makes stay there, wherever they are used.
  void inside(const std::function<void()>& act) const;
  /// What /etc/hosts says in there, from now on.
  void set_hosts(const std::string& lines);

 private:
  TempDirectory directory_;
  std::unique_ptr<Process> holder_;
};

}  // namespace waybill::tests
