#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "storage/params.hpp"
#include "storage/pq/channel.hpp"
#include "storage/rows.hpp"
#include "storage/statement.hpp"

namespace waybill::storage::pq {

using ReadHandler = asio::async_result<asio::use_awaitable_t<>, void(std::exception_ptr, Rows)>::handler_type;

/// One caller of a read, suspended in `handler`.
struct ReadRequest {
  std::optional<ReadHandler> handler;
  Statement statement;  // of a text made for one call only its name
  Statement merged;     // takes arrays of this one's parameters; empty: there is none
  std::string text;
  Params params;
  Format format = Format::text;

  ReadRequest* next_member = nullptr;  // of a merged call, whose first member stands for all
  bool alone = false;                  // a neighbour or the merged statement failed: its own sync, unmerged
  bool resent_unprepared = false;
  bool resent_lost = false;

  bool mergeable() const { return !merged.text.empty(); }
  /// The caller is to be resumed, and is no more the request's.
  ReadHandler take_handler() {
    if (!handler) throw std::logic_error("a request without a caller");
    return std::move(*handler);
  }
};

/// Requests are used again and again; their addresses are what a channel knows them by.
class ReadRequestPool {
 public:
  ReadRequest& take();
  void give_back(ReadRequest& request);

 private:
  std::deque<ReadRequest> all_;
  std::vector<ReadRequest*> free_;
};

/// The reads of one connection. What is submitted within one turn of the loop goes out with one sync; one
/// that was skipped because a neighbour failed, or in flight when the connection broke, is sent again (the
/// latter once).
class ReadPipeline final : public Channel::Listener, public std::enable_shared_from_this<ReadPipeline> {
 public:
  /// The pool must outlive `shut_down`.
  ReadPipeline(asio::io_context& io, ReadRequestPool& pool, ChannelOptions options);

  /// The handler is called later, from the io_context.
  void submit(ReadRequest& request);

  /// How many are waiting; far more when nothing has moved for long, so that nobody queues behind a slow one.
  std::size_t load(SteadyTime now) const;
  SteadyTime last_answer() const { return channel_->last_answer(); }

  /// Everything that waits is refused, and nothing more may be submitted.
  void shut_down();

  void opened() override;
  void received(void* owner, Answer answer) override;
  void synced() override {}
  void drained() override;
  void lost(const std::vector<void*>& owners, const std::string& why) override;

 private:
  void schedule_flush();
  void flush();
  std::vector<ReadRequest*> collect_calls();
  void send_call(ReadRequest& first);
  void hand_out(ReadRequest& first, const Rows& rows);
  void send_again(ReadRequest& first);
  void refuse(ReadRequest& request, const std::exception_ptr& error);
  void complete(ReadRequest& request, const std::exception_ptr& error, Rows rows);

  asio::io_context& io_;
  ReadRequestPool& pool_;
  std::shared_ptr<Channel> channel_;
  std::vector<ReadRequest*> queue_;
  std::vector<ReadRequest*> again_;  // goes before the queue
  std::size_t load_ = 0;
  bool flush_scheduled_ = false;
  bool draining_ = false;
};

}  // namespace waybill::storage::pq
