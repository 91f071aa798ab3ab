#pragma once

#include <memory>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "storage/database.hpp"
#include "storage/pq/channel.hpp"
#include "storage/pq/connection_queue.hpp"
#include "storage/pq/write_session.hpp"

namespace waybill::storage::pq {

/// The exclusive connections: a caller that finds none free waits in line, up to `wait_limit`. A business
/// (`Cause::business`) has all but two at most, and one is kept for callers without a business.
class WritePool : public std::enable_shared_from_this<WritePool> {
 public:
  class GiveBack {
   public:
    GiveBack() = default;
    GiveBack(std::shared_ptr<WritePool> pool, const Guid& holder) : pool_(std::move(pool)), holder_(holder) {}
    void operator()(WriteSession* session) const;

   private:
    std::shared_ptr<WritePool> pool_;
    Guid holder_;
  };
  /// Dropped, its session is rolled back if need be and free again.
  using Lease = std::unique_ptr<WriteSession, GiveBack>;

  WritePool(asio::io_context& io, const ChannelOptions& options, int size, Duration wait_limit);

  /// A connected session. Throws DatabaseUnavailable, or Failure (see ConnectionQueue).
  asio::awaitable<Lease> acquire(Guid holder);
  asio::awaitable<Rows> write(const Statement& statement, const Params& params, const Cause& cause);
  asio::awaitable<std::unique_ptr<Transaction>> begin(const Cause& cause);

  SteadyTime last_answer() const;
  /// Whoever waits gets DatabaseUnavailable; leases may outlive it.
  void shut_down();

 private:
  void release(WriteSession& session, const Guid& holder);

  std::vector<std::unique_ptr<WriteSession>> sessions_;
  std::shared_ptr<ConnectionQueue<WriteSession>> line_;
  bool shut_down_ = false;
};

}  // namespace waybill::storage::pq
