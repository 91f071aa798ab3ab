#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "connectors/carrier_gateway.hpp"
#include "connectors/gateways/connected_carriers.hpp"
#include "storage/database/database.hpp"

namespace waybill::worker {

namespace asio = boost::asio;

/// The time between two sweeps for shipments without a pull. A first pull is hours away, so it is not late.
inline constexpr Duration sweep_interval = std::chrono::minutes(10);
/// The time in which the calls of a turn begin, and that which a call may take.
inline constexpr Duration length_of_turn = std::chrono::seconds(10);
inline constexpr Duration longest_call = std::chrono::seconds(20);

/// Opens a connection to a gateway whose calls end within `limit` from now. A business has at most four calls
/// at a time to one kind of gateway.
using OpenGateway = std::function<std::unique_ptr<connectors::Gateway>(
    const connectors::ConnectedCarrier& carrier, const Guid& business, Duration limit)>;

/// The parts of a worker that its turns share. They outlive the turns.
struct TurnParts {
  Guid worker;
  std::function<storage::Database&()> database;  // throws DatabaseUnavailable at the end of a stop
  const SecretBox& secrets;
  const Clock& clock;
  OpenGateway open;
  std::function<bool()> must_stop;
};

/// The pulls of a business through one connector, of which this worker has the lease.
struct Lane {
  Guid business;
  const connectors::GatewayConnector* connector;  // never null
  bool must_sweep = false;
};

/// One turn of a lane: up to `length_of_turn` of calls, four at a time and evenly in time, then the lane goes
/// back in line. An answer is stored at once, with the time of the next pull; a crash repeats the calls in
/// flight after the end of the lease. Used on one thread.
class LaneTurn final : public std::enable_shared_from_this<LaneTurn> {
 public:
  LaneTurn(const TurnParts& parts, Lane lane, const asio::any_io_executor& executor);

  /// Throws DatabaseUnavailable, StatementError or Failure (no connection in time); the lane is then free at
  /// the end of its lease.
  asio::awaitable<void> run();

 private:
  struct Pull {
    Guid shipment, carrier;
    std::string number, status;
    int failures = 0;
  };
  struct Account {
    connectors::ConnectedCarrier access;
    int failures = 0;
    bool is_failing = false;
    bool is_paused = false;
  };
  using Gateways = std::map<Guid, std::unique_ptr<connectors::Gateway>>;  // by carrier

  asio::awaitable<void> sweep();
  asio::awaitable<void> take();
  asio::awaitable<void> read_accounts();
  asio::awaitable<void> call_all();
  asio::awaitable<void> call_in_turn();
  asio::awaitable<bool> wait_for_turn();
  const Pull* next_pull();
  asio::awaitable<void> ask(const Pull& pull, Gateways& gateways);
  asio::awaitable<void> note_answer(const Pull& pull, const connectors::TrackAnswer& answer);
  asio::awaitable<void> note_failure(const Pull& pull, const connectors::GatewayError& error);
  asio::awaitable<void> note_failed_pull(const Pull& pull);
  asio::awaitable<void> note_success_of(Account& account);
  void report(const Pull& pull, std::string_view error) const;

  const TurnParts& parts_;
  const Lane lane_;
  const asio::any_io_executor executor_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_call_ = began_;
  Time taken_at_;
  std::vector<Pull> pulls_;
  std::size_t next_ = 0;  // position in pulls_
  std::map<Guid, Account> accounts_;
  std::size_t open_ = 0;  // coroutines that make calls
  std::exception_ptr failed_;
  asio::steady_timer all_ended_;
};

}  // namespace waybill::worker
