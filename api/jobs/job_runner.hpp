#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/job.hpp"
#include "api/endpoint/services.hpp"

namespace waybill::api {

/// Performs jobs: claims due ones and calls the handlers of their endpoints, as the gate would. One for each
/// process, on one io thread; all API processes of a database share the jobs. A job belongs to a process for
/// as long as its lease is renewed, so another process continues or ends the jobs of one that was killed. A
/// process that stops leaves its jobs like one that was killed.
class JobRunner {
 public:
  /// The references outlive the io context's run, and `endpoints` has the rows of the router.
  JobRunner(asio::io_context& io, Services& services, const std::vector<Endpoint>& endpoints);
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Looks for due jobs soon. Any thread, until the io context is destroyed.
  void wake();

 private:
  struct Claim;

  asio::awaitable<void> look_for_jobs();
  asio::awaitable<bool> begin_next();
  asio::awaitable<void> renew_leases();
  asio::awaitable<void> perform(std::shared_ptr<const Claim> claim);
  asio::awaitable<void> call_handler(const Claim& claim);
  asio::awaitable<void> settle(const Claim& claim, const std::exception_ptr& thrown);
  void look_again();

  asio::io_context& io_;
  Services& services_;
  std::map<std::string_view, const Endpoint*> endpoints_;  // those that a job can perform, by operation id
  std::vector<std::string> operations_;                    // their ids
  asio::steady_timer timer_;
  std::set<Guid> leases_;  // of the jobs under way
  bool is_woken_ = false;
};

}  // namespace waybill::api
