#include "storage/pq/read_pipeline.hpp"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/container/static_vector.hpp>

#include "base/check.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::storage::pq {
namespace {

constexpr std::size_t merge_limit = 16;
// A failing statement causes at most this many others to be sent again.
constexpr std::size_t unit_limit = 64;
constexpr auto stall_time = std::chrono::milliseconds(2);
constexpr std::size_t stall_load = 1000;

std::int64_t ordinality(const Rows& rows, int row) {
  return read_column<std::int64_t>(RowOf<Rows>{rows, row}, 0);
}

// `use` may remove the member from the call.
template <typename Use>
void for_members(ReadRequest& first, Use use) {
  for (auto* member = &first; member != nullptr;) {
    auto* next = member->next_member;
    use(*member);
    member = next;
  }
}

Params merge_params(const ReadRequest& first) {
  Params merged;
  for (std::size_t i = 0; i < first.params.size(); ++i) {
    ArrayLiteral literal;
    for (const auto* member = &first; member != nullptr; member = member->next_member) {
      const char* value = member->params.value(i);
      value == nullptr ? literal.add_null() : literal.add(value);
    }
    merged.add_array(std::move(literal));
  }
  return merged;
}

}  // namespace

ReadRequest& ReadRequestPool::take() {
  if (free_.empty()) return all_.emplace_back();
  ReadRequest& request = *free_.back();
  free_.pop_back();
  return request;
}

void ReadRequestPool::give_back(ReadRequest& request) {
  std::destroy_at(&request);
  std::construct_at(&request);
  free_.push_back(&request);
}

ReadPipeline::ReadPipeline(asio::io_context& io, ReadRequestPool& pool, ChannelOptions options,
                           std::function<void()> on_room, LockedReadSink* locked)
    : io_(io),
      pool_(pool),
      channel_(std::make_shared<Channel>(io, std::move(options), *this)),
      on_room_(std::move(on_room)),
      locked_(locked) {}

void ReadPipeline::submit(ReadRequest& request) {
  ++load_;
  if (!request.mergeable()) ++unmergeable_;
  if (channel_->is_closed() && !channel_->may_open()) {
    return refuse(request, std::make_exception_ptr(DatabaseUnavailable(channel_->last_failure())));
  }
  queue_.push_back(&request);
  if (channel_->is_closed()) channel_->open();
  if (channel_->is_open()) schedule_flush();
}

std::size_t ReadPipeline::load(SteadyTime now) const { return load_ + (has_stalled(now) ? stall_load : 0); }

bool ReadPipeline::has_room(SteadyTime now) const {
  return unmergeable_ < reads_of_connection && !has_stalled(now);
}

bool ReadPipeline::has_stalled(SteadyTime now) const {
  return channel_->busy() && now - channel_->last_progress() > stall_time;
}

void ReadPipeline::schedule_flush() {
  // Requests submitted while answers are delivered are sent by the flush after the last answer.
  if (draining_ || std::exchange(flush_scheduled_, true)) return;
  asio::post(io_, [self = shared_from_this()] {
    self->flush_scheduled_ = false;
    self->flush();
  });
}

void ReadPipeline::flush() {
  if (!channel_->is_open() || (queue_.empty() && again_.empty())) return;
  if (locked_ != nullptr && !locked_->empty()) {
    give_away_held(again_);
    give_away_held(queue_);
    // Nothing may be left whose answer would tell that there is room.
    asio::post(io_, [self = shared_from_this()] { self->on_room_(); });
  }
  std::size_t unit = 0;
  auto calls = collect_calls();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!channel_->is_open()) {
      // A sync of this loop broke the connection; the rest was never sent.
      again_.insert(again_.end(), calls.begin() + static_cast<std::ptrdiff_t>(i), calls.end());
      return;
    }
    send_call(*calls[i]);
    if (++unit == unit_limit || calls[i]->alone || i + 1 == calls.size()) {
      unit = 0;
      channel_->sync();
    }
  }
}

// Combines requests with the same merged statement into one call, up to the limit.
std::vector<ReadRequest*> ReadPipeline::collect_calls() {
  struct Group {
    ReadRequest* last;
    std::size_t size;
  };
  boost::container::static_vector<Group, 8> groups;
  auto calls = std::exchange(again_, {});
  for (auto* request : std::exchange(queue_, {})) {
    auto group = groups.begin();
    if (request->mergeable()) {
      while (group != groups.end() && group->last->merged.text != request->merged.text) ++group;
      if (group != groups.end() && group->size < merge_limit) {
        group->last->next_member = request;
        *group = {request, group->size + 1};
        continue;
      }
      if (group != groups.end()) {
        *group = {request, 1};
      } else if (groups.size() < groups.capacity()) {
        groups.push_back({request, 1});
      }
    }
    calls.push_back(request);
  }
  return calls;
}

void ReadPipeline::send_call(ReadRequest& first) {
  if (first.next_member != nullptr && first.statement.text.empty()) {
    channel_->query_text(first.merged.name, first.merged.text, merge_params(first), &first, first.format);
  } else if (first.next_member != nullptr) {
    channel_->query(first.merged, merge_params(first), &first, first.format);
  } else if (first.statement.text.empty()) {
    channel_->query_text(first.statement.name, first.text, first.params, &first, first.format);
  } else {
    channel_->query(first.statement, first.params, &first, first.format);
  }
}

void ReadPipeline::opened() { flush(); }

void ReadPipeline::drained() {
  on_room_();
  draining_ = false;
  flush();
}

void ReadPipeline::received(void* owner, Answer answer) {
  draining_ = true;
  ReadRequest& first = *static_cast<ReadRequest*>(owner);
  switch (answer.kind) {
    case Answer::Kind::rows:
      return distribute(first, answer.rows);
    case Answer::Kind::aborted:
      return send_again(first);
    case Answer::Kind::stale:
      if (std::exchange(first.resent_unprepared, true)) break;
      return send_again(first);
    case Answer::Kind::failed:
      if (locked_ != nullptr && is_lock_conflict(*answer.error)) return give_away(first);
      if (first.next_member != nullptr) return send_again(first);
      break;
  }
  complete(first, std::make_exception_ptr(*answer.error), {});
}

void ReadPipeline::distribute(ReadRequest& first, const Rows& rows) {
  if (first.next_member == nullptr) return complete(first, nullptr, rows);
  boost::container::static_vector<Rows, merge_limit> parts;
  int row = 0;
  for_members(first, [&](ReadRequest&) {
    const int begin = row;
    const int number = static_cast<int>(parts.size()) + 1;
    while (row < rows.size() && ordinality(rows, row) == number) ++row;
    parts.push_back(rows.slice(begin, row - begin, 1));
  });
  // The rows are not ordered by position, so it is uncertain to which callers they belong.
  if (row != rows.size()) return send_again(first);
  auto part = parts.begin();
  for_members(first, [&](ReadRequest& member) { complete(member, nullptr, std::move(*part++)); });
}

void ReadPipeline::send_again(ReadRequest& first) {
  for_members(first, [&](ReadRequest& member) {
    member.alone = true;
    member.next_member = nullptr;
    again_.push_back(&member);
  });
}

/// Gives the members of a call to `locked_`.
void ReadPipeline::give_away(ReadRequest& first) {
  for_members(first, [&](ReadRequest& member) {
    remove(member);
    locked_->take(member);
  });
}

/// Gives away those of `requests` that would wait for a lock.
void ReadPipeline::give_away_held(std::vector<ReadRequest*>& requests) {
  std::erase_if(requests, [this](ReadRequest* request) {
    if (!locked_->holds(*request)) return false;
    remove(*request);
    locked_->take(*request);
    return true;
  });
}

void ReadPipeline::lost(const std::vector<void*>& owners, const std::string& reason) {
  draining_ = false;
  const auto error = std::make_exception_ptr(DatabaseUnavailable(reason));
  std::vector<ReadRequest*> again;
  for (void* owner : owners) {
    for_members(*static_cast<ReadRequest*>(owner), [&](ReadRequest& member) {
      member.next_member = nullptr;
      if (std::exchange(member.resent_lost, true)) return refuse(member, error);
      again.push_back(&member);
    });
  }
  again_.insert(again_.begin(), again.begin(), again.end());
  if (!channel_->may_open()) {
    for (auto* request : std::exchange(again_, {})) refuse(*request, error);
    for (auto* request : std::exchange(queue_, {})) refuse(*request, error);
  } else if (!again_.empty() || !queue_.empty()) {
    channel_->open();
  }
  on_room_();
}

void ReadPipeline::shut_down() {
  on_room_ = [] {};
  const auto error = std::make_exception_ptr(DatabaseUnavailable("shutting down"));
  const auto owners = channel_->unanswered();
  channel_->detach();
  for (void* owner : owners) {
    for_members(*static_cast<ReadRequest*>(owner), [&](ReadRequest& member) { refuse(member, error); });
  }
  for (auto* request : std::exchange(again_, {})) refuse(*request, error);
  for (auto* request : std::exchange(queue_, {})) refuse(*request, error);
}

// The handler is posted, because the caller may be iterating over requests or be about to wait for this one.
void ReadPipeline::refuse(ReadRequest& request, const std::exception_ptr& error) {
  remove(request);
  asio::post(io_, [handler = request.take_handler(), error]() mutable { handler(error, Rows()); });
  pool_.give_back(request);
}

void ReadPipeline::remove(const ReadRequest& request) {
  check(load_ > 0 && (request.mergeable() || unmergeable_ > 0), "a read ends on its connection once");
  --load_;
  if (!request.mergeable()) --unmergeable_;
}

void ReadPipeline::complete(ReadRequest& request, const std::exception_ptr& error, Rows rows) {
  remove(request);
  ReadHandler handler = request.take_handler();
  pool_.give_back(request);
  handler(error, std::move(rows));
}

}  // namespace waybill::storage::pq
