#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/thread/thread.hpp"
#include "storage/carriers/purchases.hpp"
#include "worker/purchases/purchase_run.hpp"
#include "worker/purchases/purchaser.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::worker {

/// The thread of a Purchaser. All private methods, and those of PurchaseHost, run on the thread only.
class Purchaser::Impl final : public PurchaseHost {
 public:
  Impl(Options options, const SecretBox& secrets);
  void start();
  void stop_accepting();
  void drain(Moment until);
  void stop(Moment until);

  // PurchaseHost, in purchaser_host.cpp:
  Time now() const override;
  bool may_begin(const Guid& purchase) const override;
  asio::awaitable<std::optional<storage::ChangedPurchase>> change(storage::PurchaseChange change) override;
  asio::awaitable<std::vector<connectors::ConnectedCarrier>> carriers(storage::PurchaseKey purchase,
                                                                      std::vector<Guid> named) override;
  asio::awaitable<std::variant<connectors::Consignment, domain::PurchaseMessage>> consignment(
      storage::PurchaseKey purchase) override;
  std::unique_ptr<connectors::Gateway> open(const connectors::ConnectedCarrier& carrier, const Guid& business,
                                            Duration limit, connectors::Gateways::Turn turn) override;
  void note_call(const Guid& business, const connectors::ConnectedCarrier& carrier,
                 const connectors::GatewayError* failure) override;

 private:
  struct Running {
    storage::PurchaseKey key;
    std::chrono::steady_clock::time_point leased_until;  // the past: the lease is lost
  };

  asio::awaitable<void> look_for_purchases();
  Duration look();
  void begin(storage::ClaimedPurchase claimed, std::chrono::steady_clock::time_point leased_until);
  asio::awaitable<void> perform(storage::StoredPurchase purchase);
  void release(const storage::PurchaseKey& key);
  asio::awaitable<void> renew_leases();
  void renew();
  bool is_idle() const;
  void end_if_idle();

  // In purchaser_host.cpp:
  std::optional<storage::ChangedPurchase> make(const storage::PurchaseChange& change);
  template <typename F>
  asio::awaitable<std::invoke_result_t<F>> repeated(F work, std::function<bool()> goes_on);
  bool is_notified();
  void heed_notifications();
  void open_session();
  Duration failed(const std::exception& error);
  void watch_socket();
  static asio::awaitable<void> wait(asio::steady_timer& timer, Duration duration);

  const Options options_;
  const SecretBox& secrets_;
  const std::vector<std::string> connectors_;
  connectors::Gateways gateways_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_guard_{io_.get_executor()};
  std::promise<void> became_idle_;
  const std::future<void> idle_ = became_idle_.get_future();
  bool is_stop_requested_ = false;  // used by the owner's thread only
  // The following members are used by thread_ only.
  ThreadSession session_;
  std::chrono::steady_clock::time_point connects_at_;
  asio::posix::stream_descriptor socket_{io_};  // a copy of the session's
  bool is_watched_ = false;
  asio::steady_timer look_timer_{io_};
  asio::steady_timer renewal_timer_{io_};
  std::map<Guid, Running> running_;
  std::minstd_rand random_{std::random_device{}()};
  bool is_stopping_ = false;
  bool was_idle_ = false;
  std::chrono::steady_clock::time_point gives_up_at_ = std::chrono::steady_clock::time_point::max();
  Thread thread_{ThreadKind::purchases};
};

}  // namespace waybill::worker
