#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/fair_queue.hpp"
#include "base/guid.hpp"
#include "storage/pq/channel.hpp"
#include "storage/pq/read_pipeline.hpp"
#include "storage/pq/steady_time.hpp"

namespace waybill::storage::pq {

/// The connections that share the reads of an io thread. Merged reads go to the least loaded connection at
/// once. Others wait here, and businesses take turns, until a connection has room, so that a connection that
/// has stalled delays few of them. One thread.
class ReadPool {
 public:
  /// `requests` and `locked` must outlive `shut_down`. `size` is at least 1.
  ReadPool(asio::io_context& io, ReadRequestPool& requests, const ChannelOptions& options, int size,
           LockedReadSink* locked);
  ReadPool(const ReadPool&) = delete;
  ReadPool& operator=(const ReadPool&) = delete;

  /// The handler is called later, from the io_context.
  void submit(ReadRequest& request);

  /// Time of the last answer of any connection; min() if there is none.
  SteadyTime last_answer() const;

  /// Refuses all waiting reads. No read may be submitted afterwards.
  void shut_down();

 private:
  /// True if the text is one of those used last, and makes it the last one.
  bool is_familiar(std::string_view text);
  void send_waiting();

  // Merged reads wait for no turn. A client could avoid its turns by a text of its own for each read, so only
  // reads by these texts are merged.
  static constexpr std::size_t most_merged_texts = 16;
  std::vector<std::shared_ptr<ReadPipeline>> pipelines_;
  std::vector<std::string> merged_texts_;  // most recently used first
  FairQueue<Guid, ReadRequest*> waiting_;  // by business; nil without one
};

}  // namespace waybill::storage::pq
