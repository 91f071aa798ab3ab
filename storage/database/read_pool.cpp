#include "storage/database/read_pool.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace waybill::storage::pq {

using std::chrono::steady_clock;

ReadPool::ReadPool(asio::io_context& io, ReadRequestPool& requests, const ChannelOptions& options, int size,
                   LockedReadSink* locked) {
  for (int i = 0; i < size; ++i) {
    pipelines_.push_back(
        std::make_shared<ReadPipeline>(io, requests, options, [this] { send_waiting(); }, locked));
  }
}

void ReadPool::submit(ReadRequest& request) {
  if (request.mergeable() && request.statement.text.empty() && !is_familiar(request.merged.text))
    request.merged = {};
  if (!request.mergeable()) {
    waiting_.push(request.business, &request);
    return send_waiting();
  }
  const auto load = [now = steady_clock::now()](const auto& each) { return each->load(now); };
  (*std::ranges::min_element(pipelines_, {}, load))->submit(request);
}

bool ReadPool::is_familiar(std::string_view text) {
  const auto known = std::ranges::find(merged_texts_, text);
  if (known != merged_texts_.end()) {
    std::rotate(merged_texts_.begin(), known, known + 1);
    return true;
  }
  if (merged_texts_.size() == most_merged_texts) merged_texts_.pop_back();
  merged_texts_.emplace(merged_texts_.begin(), text);
  return false;
}

void ReadPool::send_waiting() {
  if (waiting_.empty()) return;
  const auto now = steady_clock::now();
  const auto room_and_load = [now](const auto& each) {
    return std::pair(!each->has_room(now), each->load(now));
  };
  do {
    ReadPipeline& pipeline = **std::ranges::min_element(pipelines_, {}, room_and_load);
    if (!pipeline.has_room(now)) return;
    pipeline.submit(*waiting_.pop());
  } while (!waiting_.empty());
}

SteadyTime ReadPool::last_answer() const {
  return std::ranges::max(pipelines_ |
                          std::views::transform([](const auto& each) { return each->last_answer(); }));
}

void ReadPool::shut_down() {
  // A connection refuses the reads that it has.
  while (!waiting_.empty()) pipelines_.front()->submit(*waiting_.pop());
  for (const auto& pipeline : pipelines_) pipeline->shut_down();
}

}  // namespace waybill::storage::pq
