#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "tests/carriers/karrio_carrier.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

/// The reason with which tests are skipped.
inline constexpr std::string_view no_karrio =
    "Karrio is not installed: ./dev test does it unless the registry of Python packages is unreachable";

/// A real Karrio server (tests/packages/karrio) on a database of the test cluster, whose only carrier is a
/// KarrioCarrier. Its tasks, webhooks included, run within the requests. It takes seconds to start, so the
/// tests of a suite share one. Its calls throw std::runtime_error with the server's response if it is an
/// error.
class KarrioServer {
 public:
  /// False if Karrio is not installed: tests/packages/karrio/install does it unless the registry is
  /// unreachable.
  static bool installed();

  /// `once`: with the settings of deploy/karrio. `repeated`: Karrio 2026.1.32 as it comes, which repeats each
  /// call of a carrier that fails in any way at once, purchases too.
  enum class CarrierCalls { once, repeated };

  explicit KarrioServer(CarrierCalls calls = CarrierCalls::once);
  KarrioServer(const KarrioServer&) = delete;
  KarrioServer& operator=(const KarrioServer&) = delete;

  /// The same before and after a restart.
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }
  /// A token that remains valid. It sees the connections and shipments of its mode only.
  const std::string& token(bool test_mode = false) const { return test_mode ? test_token_ : live_token_; }
  /// The name of a connection that exists in both modes.
  static std::string_view carrier_id() { return "parcels"; }

  struct Credentials {
    std::string key = std::string(KarrioCarrier::key);
    bool keeps_status =
        false;  // errors of the carrier tell its HTTP status, as with some of Karrio's carriers
    bool test_mode = false;
  };
  /// Connects an account of the carrier that has the same name. Returns the connection's id. Names need not
  /// be unique.
  std::string make_connection(std::string_view name, const Credentials& credentials);
  std::string make_connection(std::string_view name) { return make_connection(name, Credentials()); }
  void set_active(const std::string& connection, bool is_active, bool test_mode = false);
  void remove_connection(const std::string& connection, bool test_mode = false);

  struct Webhook {
    std::string id, secret;
  };
  /// Sends all events of one mode to the address, until the webhook is removed.
  Webhook make_webhook(const std::string& address, bool test_mode = false);
  void remove_webhook(const Webhook& webhook, bool test_mode = false);

  KarrioCarrier& carrier() { return carrier_; }
  const KarrioCarrier& carrier() const { return carrier_; }

  /// Acts as the user of a token.
  Response request(std::string_view method, std::string_view path, const json::value& body = {},
                   bool test_mode = false);
  json::value get(std::string_view path, bool test_mode = false);
  json::value post(std::string_view path, const json::value& body = json::object(), bool test_mode = false);

  /// Ends the server at once (SIGKILL).
  void kill();
  /// Starts the server, on the same port and database, if it does not run.
  void restart();

  Session database() const { return database_.connect(); }
  /// Everything that Karrio knows, such as `restore` takes.
  std::string dump() const;
  /// Replaces the database by an earlier one. The server is killed before and restarted after.
  void restore(const std::string& dump);

 private:
  void start();

  const CarrierCalls calls_;
  KarrioCarrier carrier_;
  TestDatabase database_{TestDatabase::Content::empty};
  TempDirectory work_;
  std::unique_ptr<Process> server_;
  int port_ = 0;
  std::string live_token_, test_token_;
};

}  // namespace waybill::tests
