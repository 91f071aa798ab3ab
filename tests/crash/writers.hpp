#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/crash/ledger.hpp"
#include "tests/harness/http.hpp"

namespace waybill::tests {

/// A business that writers change, with orders that match and orders that do not.
struct Shop {
  std::string id;
  std::string token;
  std::vector<std::string> orders;
};

/// Clients that change orders as fast as they can, by the API and by SQL, and tell the ledger of each change
/// what became of it. They go on through every fault until `stop`.
class Writers {
 public:
  /// `api_port` says where the API is now; the URL of the database stays the same.
  Writers(Ledger& ledger, const std::vector<Shop>& shops, std::string database_url,
          std::function<int()> api_port, std::uint64_t seed);
  ~Writers() { stop(); }
  Writers(const Writers&) = delete;
  Writers& operator=(const Writers&) = delete;

  void stop();

 private:
  struct Client;
  void write_by_api(const Shop& shop, Client& client);
  bool change_by_api(std::optional<Http>& http, const Shop& shop, Client& client);
  void write_by_sql(const Shop& shop, Client& client);
  void change_by_sql(Session& session, const Shop& shop, Client& client);

  Ledger& ledger_;
  std::string database_url_;
  std::function<int()> api_port_;
  std::atomic<bool> stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace waybill::tests
