#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

/// A real Medusa 2 server (tests/packages/medusa) on a database of the test cluster, with a store that sells
/// in euros to Germany and France. Use it as `shared<MedusaServer>()`, because it takes seconds to start. Its
/// calls throw std::runtime_error with the server's response if it is an error.
class MedusaServer {
 public:
  /// False if its packages are not installed: ./dev test installs them unless the registry is unreachable.
  static bool installed();

  MedusaServer();
  MedusaServer(const MedusaServer&) = delete;
  MedusaServer& operator=(const MedusaServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }
  /// A secret key that remains valid.
  const std::string& key() const { return key_; }

  struct Key {
    std::string id, token;
  };
  Key new_key();
  void revoke(const Key& key);

  /// Acts as the user of the key.
  Response request(std::string_view method, std::string_view path, const json::value& body = {});
  json::value get(std::string_view path);
  json::value post(std::string_view path, const json::value& body = json::object());

  /// Creates a guest's draft: two shirts (size M, 19.99), a custom line of 3.5; `changes` replaces fields.
  std::string draft(const json::object& changes = {});
  /// Creates an unpaid order with the same content.
  std::string order(const json::object& changes = {});
  /// Captures its payment in full; returns the payment's id.
  std::string capture(const std::string& order);
  /// Fulfils one line, counted from 0 in the order of ids, or all lines; returns the fulfilment's id.
  std::string fulfill(const std::string& order, std::optional<std::size_t> line = std::nullopt);
  void ship(const std::string& order, const std::string& fulfillment, std::string_view number = "");
  /// The order with its items, fulfilments and labels.
  json::value read(const std::string& order);

  /// Creates a product with the variants M and L.
  const std::string& product() const { return product_; }
  const std::string& small() const { return small_; }
  const std::string& shipping_profile() const { return profile_; }

  Session database() const { return database_.connect(); }

 private:
  void start();
  void make_user();
  void make_key();
  void make_shop();

  TestDatabase database_{TestDatabase::Content::empty};
  std::unique_ptr<Process> server_;
  int port_ = 0;
  std::string authorization_;
  std::string key_, channel_, region_, location_, profile_, shipping_, product_, small_;
};

}  // namespace waybill::tests
