#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/simulators/store_simulator.hpp"

namespace waybill::tests {

/// The calls of a purchase.
enum class PurchaseCall {
  draft,       // makes the draft
  buy,         // buys it
  find,        // looks a draft or purchase up
  file,        // loads the label's file
  void_label,  // voids the label
  other,
};

/// A server in front of Karrio, such as a load balancer: it passes each call on, and may spoil or hold the
/// answer. Thread-safe.
class GatewayFront {
 public:
  /// `port`: Karrio's, on this machine.
  explicit GatewayFront(int port);
  /// Opens every gate that an answer waits for, and closes every connection.
  ~GatewayFront();
  GatewayFront(const GatewayFront&) = delete;
  GatewayFront& operator=(const GatewayFront&) = delete;

  /// The address without a slash at the end.
  std::string url() const;

  /// Applies the fault to the next `times` calls of the kind. A call that does not reach the store is not
  /// passed on.
  void fail(PurchaseCall call, Fault fault, std::size_t times = 1);
  void stop_failing();

  /// The number of calls of a kind that have come, with those that failed.
  std::size_t count(PurchaseCall call) const;
  /// False if there are fewer calls of the kind at the deadline.
  bool wait_for_calls(PurchaseCall call, std::size_t count, Deadline deadline = default_deadline) const;

 private:
  static constexpr std::size_t kinds = 6;

  Reply reply(const Received& request);
  Reply passed_on(const Received& request) const;

  const int port_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::array<std::size_t, kinds> counts_{};
  std::array<FaultScript, kinds> faults_;
  std::vector<std::shared_ptr<Gate>> gates_;
  bool stopped_ = false;
  std::unique_ptr<Receiver> receiver_;
};

}  // namespace waybill::tests
