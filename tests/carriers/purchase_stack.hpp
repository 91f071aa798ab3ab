#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "tests/carriers/purchase_world.hpp"

namespace waybill::tests {

/// The places of a purchase at which something is killed.
enum class PurchasePoint {
  before_lookup,   // the look-up has been asked for
  before_draft,    // the draft has been asked for
  drafted,         // the gateway has the draft, waybill does not know its id
  before_booking,  // the carrier has been asked; it books after the kill
  booked,          // the carrier has booked, nobody knows it
  answered,        // the gateway knows the label, waybill does not
  storing,         // the answer is on its way to waybill
};
enum class Victim { worker, api, database, karrio, older_karrio, everything };

std::string_view name_of(PurchasePoint point);
std::string_view name_of(Victim victim);

/// `waybill up` with its own PostgreSQL, which has the only worker, a second API for all requests, EasyPost
/// and Karrio. Each can be killed. For one thread at a time.
class PurchaseStack {
 public:
  PurchaseStack();

  /// Sends SIGKILL. `older_karrio` is killed and gets its first database back.
  void kill(Victim victim);
  /// Starts what does not run, waits until it answers, and ends the leases of a worker that was killed.
  void repair();

  PurchaseGateway& gateway(bool is_karrio);
  KarrioGateway& karrio() { return karrio_; }
  const Waybill& up() const { return *up_; }
  Http http(const std::string& token) const { return api_->http(token); }
  /// A connection as soon as the database accepts one; throws std::runtime_error at the deadline.
  Session connect() const;

  /// The next purchase waits at the point until the gate opens.
  void stop_at(PurchasePoint point, bool is_karrio, const std::shared_ptr<Gate>& gate);
  /// The number of calls that have come to the point.
  std::size_t arrivals(PurchasePoint point, bool is_karrio);

  /// Keeps Karrio's database for `older_karrio`. Later connections of carriers are lost with it.
  void keep_karrio() { first_karrio_ = karrio_.karrio().dump(); }

 private:
  void start_up();
  void start_api();
  std::vector<std::string> arguments() const;

  TempDirectory directory_;
  EasyPostGateway easypost_;
  KarrioGateway karrio_;
  std::string first_karrio_;
  std::unique_ptr<Waybill> up_, api_;
};

/// Buys labels through the second API, however often that is killed.
class SurvivingClient : public LabelClient {
 public:
  SurvivingClient(PurchaseStack& stack, std::string token, std::string used_carrier)
      : stack_(stack), token_(std::move(token)) {
    carrier = std::move(used_carrier);
  }

  /// A connection to the API that runs now.
  Http connection() const { return stack_.http(token_); }

 protected:
  Http& http() override { return http_.emplace(connection()); }

 private:
  PurchaseStack& stack_;
  const std::string token_;
  std::optional<Http> http_;
};

}  // namespace waybill::tests
