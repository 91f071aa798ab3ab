#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

/// Two clusters of their own, a primary and a hot standby that follows it asynchronously; on unix sockets,
/// without fsync, superuser `waybill`.
class PrimaryAndStandby {
 public:
  PrimaryAndStandby();
  ~PrimaryAndStandby();
  PrimaryAndStandby(const PrimaryAndStandby&) = delete;
  PrimaryAndStandby& operator=(const PrimaryAndStandby&) = delete;

  /// Both hosts, the standby first.
  std::string url() const { return url_of("standby,primary"); }
  std::string standby_url() const { return url_of("standby"); }

  /// From now on the standby receives nothing; what it has it applies.
  void stop_replication();
  /// Returns when the standby has applied all that the primary has written.
  void catch_up();
  /// As a crash does. Nothing is left that accepts connections on its socket.
  void kill_primary();
  /// Returns when the standby takes writes.
  void promote();

 private:
  std::string url_of(std::string_view hosts) const;
  std::unique_ptr<Process> start(std::string_view name) const;

  TempDirectory directory_;
  std::unique_ptr<Process> primary_;
  std::unique_ptr<Process> standby_;
};

}  // namespace waybill::tests
