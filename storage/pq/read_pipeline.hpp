#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/guid.hpp"
#include "storage/pq/channel.hpp"
#include "storage/statement/params.hpp"
#include "storage/statement/rows.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::storage::pq {

using ReadHandler = asio::async_result<asio::use_awaitable_t<>, void(std::exception_ptr, Rows)>::handler_type;

/// A read and its caller, which is suspended in `handler`.
struct ReadRequest {
  std::optional<ReadHandler> handler;
  Statement statement;  // only the name if `text` is set
  Statement merged;     // takes arrays of the parameters; empty if there is none
  std::string text;
  Params params;
  Format format = Format::text;
  Guid business = {};  // takes turns with others

  ReadRequest* next_member = nullptr;  // next member of a merged call, which its first member represents
  bool alone = false;                  // has its own sync, unmerged, after another request's failure
  bool resent_unprepared = false;
  bool resent_lost = false;

  bool mergeable() const { return !merged.text.empty(); }
  /// Moves the handler out; the caller can then be resumed.
  ReadHandler take_handler() {
    if (!handler) throw std::logic_error("the request has no caller");
    return std::move(*handler);
  }
};

/// Recycles requests. A channel identifies them by their addresses.
class ReadRequestPool {
 public:
  ReadRequest& take();
  void give_back(ReadRequest& request);

 private:
  std::deque<ReadRequest> all_;
  std::vector<ReadRequest*> free_;
};

/// Takes over the reads of a statement that waits for a lock, so that the other reads of a connection do not
/// wait with it (storage/database/locked_reads.hpp).
class LockedReadSink {
 public:
  virtual ~LockedReadSink() = default;
  /// True if no statement waits for a lock.
  virtual bool empty() const = 0;
  /// True if the read would wait for a lock.
  virtual bool holds(const ReadRequest& request) const = 0;
  /// Takes a read, whose caller it resumes later. The request goes back to the pool.
  virtual void take(ReadRequest& request) = 0;
};

/// The reads of one connection. Reads submitted within one turn of the loop are sent with one sync. A read is
/// sent again if it was skipped because another one failed, and once if the connection broke.
class ReadPipeline final : public Channel::Listener, public std::enable_shared_from_this<ReadPipeline> {
 public:
  /// `pool` and `locked` must outlive `shut_down`. `locked` takes the reads that fail because of a lock;
  /// null: they fail. `on_room` is called whenever the connection may have room again, until `shut_down`. It
  /// may submit reads.
  ReadPipeline(asio::io_context& io, ReadRequestPool& pool, ChannelOptions options,
               std::function<void()> on_room, LockedReadSink* locked = nullptr);

  /// The handler is called later, from the io_context.
  void submit(ReadRequest& request);

  /// Returns the number of waiting reads, plus a penalty if the connection has stalled, so that new reads
  /// avoid it.
  std::size_t load(SteadyTime now) const;
  /// Returns false if the connection has stalled or has enough reads that cannot be merged. More reads can be
  /// submitted, but all of them wait if the server's process gets no processor.
  bool has_room(SteadyTime now) const;
  SteadyTime last_answer() const { return channel_->last_answer(); }

  /// Refuses all waiting reads. No read may be submitted afterwards.
  void shut_down();

  void opened() override;
  void received(void* owner, Answer answer) override;
  void synced() override {}
  void drained() override;
  void lost(const std::vector<void*>& owners, const std::string& reason) override;

 private:
  void schedule_flush();
  void flush();
  std::vector<ReadRequest*> collect_calls();
  void send_call(ReadRequest& first);
  void distribute(ReadRequest& first, const Rows& rows);
  void send_again(ReadRequest& first);
  void give_away(ReadRequest& first);
  void give_away_held(std::vector<ReadRequest*>& requests);
  void refuse(ReadRequest& request, const std::exception_ptr& error);
  void remove(const ReadRequest& request);
  void complete(ReadRequest& request, const std::exception_ptr& error, Rows rows);
  bool has_stalled(SteadyTime now) const;

  asio::io_context& io_;
  ReadRequestPool& pool_;
  std::shared_ptr<Channel> channel_;
  std::function<void()> on_room_;
  LockedReadSink* const locked_;
  std::vector<ReadRequest*> queue_;
  std::vector<ReadRequest*> again_;  // sent before queue_
  std::size_t load_ = 0;
  std::size_t unmergeable_ = 0;  // part of load_
  bool flush_scheduled_ = false;
  bool draining_ = false;
};

}  // namespace waybill::storage::pq
