#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness/http.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

/// A running `waybill up`, `api` or `worker` on a database.
class Waybill {
 public:
  struct Options {
    std::string command = "up";  // "up", "api" or "worker"
    std::string program = {};    // another version of it; empty: waybill_binary()
    std::string listen = "127.0.0.1:0";
    bool allow_private_destinations = true;
    std::string retry_schedule = "1s,1s,1s";
    int account_mails_per_network = 0;        // 0: unlimited, because all tests come from one address
    std::vector<std::string> arguments = {};  // further ones
    std::vector<std::string> prefix = {};     // prefix of the command line, such as {"unshare", "-n"}
    std::vector<std::pair<std::string, std::string>> environment = {};
    std::string secret_key_file = {};  // shared by the processes of one database; created if empty
    std::string data_dir =
        {};  // for `up` on its own cluster instead of a database URL; `up` then creates the key
  };

  /// Starts waybill on `database_url`, which is ignored with a `data_dir` in the options. Waits until it is
  /// ready; throws std::runtime_error with its output on a timeout.
  explicit Waybill(std::string database_url) : Waybill(std::move(database_url), Options{}) {}
  Waybill(std::string database_url, Options options);
  ~Waybill();
  Waybill(const Waybill&) = delete;
  Waybill& operator=(const Waybill&) = delete;

  /// A client of the API; throws for a worker, which has none.
  Http http(std::string token = {}) const;
  /// The port of the API; 0 for a worker.
  int port() const { return port_; }
  /// The URL that `up` prints for its own cluster, otherwise the given one.
  const std::string& database_url() const { return database_url_; }
  Process& process() { return *process_; }
  const std::string& secret_key_file() const { return options_.secret_key_file; }

  /// A token of the business, which is created if no business has that name (`waybill token create`).
  std::string token(std::string_view business, std::string_view plan = "unlimited") const;
  /// A client of a business.
  Http business(std::string_view name, std::string_view plan = "unlimited") const {
    return http(token(name, plan));
  }

  /// Sends SIGTERM and returns the exit status.
  std::optional<int> stop(Deadline deadline = default_deadline);

 private:
  void start();

  Options options_;
  std::string database_url_;
  std::unique_ptr<TempDirectory> directory_;
  std::unique_ptr<Process> process_;
  std::string host_;
  int port_ = 0;
};

/// Creates a token as `waybill token create` does, without a process.
std::string create_token(const std::string& database_url, std::string_view business,
                         std::string_view plan = "unlimited");

/// Runs `waybill migrate` on a database; throws if it fails.
void migrate_with_binary(const std::string& database_url);

}  // namespace waybill::tests
