#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/simulators/woocommerce/woocommerce_simulator.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {

/// A waybill with short intervals between sweeps.
struct ImportWorld : World {
  ImportWorld() : World({.arguments = {"--import-interval", "1"}}) {}
};

/// The report of an import run.
struct ImportRun {
  std::string guid;
  std::int64_t imported = 0, updated = 0, unchanged = 0, failed = 0;
  json::array errors;
  /// "1 imported, 2 updated, 3 unchanged, 4 failed"
  std::string counts() const;
  /// The message of the only error.
  std::string reason() const;
};

/// A store's connection to a business, created through the API. Its sweeps start only on request, unless
/// `auto_import` is set.
class Connection {
 public:
  struct Settings {
    bool auto_import = false;
    bool sync_products = false;
  };
  struct Login {
    std::string provider, url, key, secret;
  };
  Connection(Session& sql, std::string business, const std::string& key_file, const Login& login,
             Settings settings);
  Connection(Session& sql, std::string business, const std::string& key_file,
             const WooCommerceSimulator& store, Settings settings)
      : Connection(sql, std::move(business), key_file,
                   Login{"woocommerce", store.url(), store.key(), store.secret()}, settings) {}

  /// Requests a sweep and returns its run.
  std::string request();
  /// Waits until the run has finished and returns it.
  ImportRun finished(const std::string& run, Deadline deadline = default_deadline);
  /// Requests a sweep and waits until it has finished.
  ImportRun sync(Deadline deadline = default_deadline) { return finished(request(), deadline); }

  std::int64_t orders();  // number of the business's orders
  /// A column of the order with this id in the store; "" if there is none.
  std::string order(std::int64_t external_id, std::string_view column);
  /// Number of events of the business's records of a kind (0 order, 2 customer, 3 product).
  std::int64_t events(int entity_type = 0);
  std::int64_t failures();

  std::string value(std::string_view column);
  void set(std::string_view assignments);

  const std::string& guid() const { return guid_; }

 private:
  Session& sql_;
  std::string business_;
  std::string guid_;
};

class ImportTest : public testing::Test {
 protected:
  static Time an_hour_ago() {
    return std::chrono::floor<std::chrono::seconds>(system_clock().now()) - std::chrono::hours(1);
  }
  static std::string test_name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }

  Connection connect(const WooCommerceSimulator& to, Connection::Settings settings = {}) {
    return {tenant.sql, tenant.id, world.waybill.secret_key_file(), to, settings};
  }
  Connection connect(const Connection::Login& to, Connection::Settings settings) {
    return {tenant.sql, tenant.id, world.waybill.secret_key_file(), to, settings};
  }

  ImportWorld& world = shared<ImportWorld>();
  WooCommerceSimulator store;
  Tenant tenant{world.waybill, business_of(test_name())};
};

}  // namespace waybill::tests
