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

/// A business whose orders the writers change; some of them match, others do not.
struct Shop {
  std::string id;
  std::string token;
  std::vector<std::string> orders;
};

/// Clients that change orders, through the API and by SQL, and record the fate of each change in the ledger:
/// two for each shop. They continue through every fault until `stop`.
class Writers {
 public:
  /// `api_port` returns the current port of the API; the URL of the database stays the same. Each client
  /// begins a change every `interval`, or as soon as the one before has ended.
  Writers(Ledger& ledger, const std::vector<Shop>& shops, std::string database_url,
          std::function<int()> api_port, std::uint64_t seed, Deadline interval = Deadline::zero());
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
  void pause(Client& client);

  Ledger& ledger_;
  std::string database_url_;
  std::function<int()> api_port_;
  Deadline interval_;
  std::atomic<bool> stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace waybill::tests
