#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

/// Two separate clusters, a primary and a hot standby that follows it asynchronously; on unix sockets,
/// without fsync, superuser `waybill`.
class PrimaryAndStandby {
 public:
  PrimaryAndStandby();
  ~PrimaryAndStandby();
  PrimaryAndStandby(const PrimaryAndStandby&) = delete;
  PrimaryAndStandby& operator=(const PrimaryAndStandby&) = delete;

  /// A URL with both hosts, the standby first.
  std::string url() const { return url_of("standby,primary"); }
  std::string url_from_primary() const { return url_of("primary,standby"); }
  std::string standby_url() const { return url_of("standby"); }
  std::string primary_url() const { return url_of("primary"); }

  /// Cuts the standby off; it still applies what it has received.
  void stop_replication();
  /// Returns once the standby has applied everything that the primary has written.
  void catch_up();
  /// Stops (SIGSTOP) or continues (SIGCONT) all processes of the primary. Its connections stay open.
  void signal_primary(int signal);
  /// Kills the primary as a crash does. Nothing accepts connections on its socket afterwards.
  void kill_primary();
  /// Starts the primary that was killed, as a primary.
  void start_primary() { primary_ = start("primary"); }
  /// Returns once the standby accepts writes.
  void promote();

  /// The standby receives, and applies nothing until `resume_replay`.
  void pause_replay();
  void resume_replay();
  /// Stops (SIGSTOP) or continues (SIGCONT) all processes of the standby.
  void signal_standby(int signal);
  /// Kills the standby as a crash does.
  void kill_standby();
  void start_standby() { standby_ = start("standby"); }
  /// Changes a setting of the standby that needs no restart.
  void set_on_standby(std::string_view setting, std::string_view value);

 private:
  std::string url_of(std::string_view hosts) const;
  std::unique_ptr<Process> start(std::string_view name) const;

  TempDirectory directory_;
  std::unique_ptr<Process> primary_;
  std::unique_ptr<Process> standby_;
};

}  // namespace waybill::tests
