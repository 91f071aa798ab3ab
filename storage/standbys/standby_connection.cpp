#include "storage/standbys/standby_connection.hpp"

#include <chrono>
#include <utility>

#include <boost/asio/post.hpp>

#include "storage/sql/standbys.sql.hpp"
#include "storage/standbys/standby_fault.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::storage::pq {
namespace {

using std::chrono::steady_clock;

constexpr auto check_limit = std::chrono::seconds(1);
constexpr auto check_interval = std::chrono::milliseconds(20);

// The addresses of these variables are the channel's owner pointers of statements that belong to no read.
char identity_mark;
char check_mark;

bool is_read(const void* owner) { return owner != &identity_mark && owner != &check_mark; }

}  // namespace

StandbyConnection::StandbyConnection(asio::io_context& io, ChannelOptions options)
    : io_(io), channel_(std::make_shared<Channel>(io, std::move(options), *this)), timer_(io) {}

void StandbyConnection::refresh() {
  if (channel_->is_closed()) {
    if (channel_->may_open()) channel_->open();
    return;
  }
  if (!channel_->is_open() || checks_due_ > 0 || steady_clock::now() - check_sent_ < check_interval) return;
  if (cluster_ == 0) {
    identify();
  } else {
    check();
  }
}

/// Queries the identifier of the cluster; a check follows.
void StandbyConnection::identify() {
  ++checks_due_;
  check_sent_ = steady_clock::now();
  channel_->query(sql::standbys::Identity::statement, {}, &identity_mark);
  channel_->sync();
  if (checks_due_ == 1) watch();
}

void StandbyConnection::check() {
  ++checks_due_;
  check_sent_ = steady_clock::now();
  channel_->query(sql::standbys::Check::statement, sql::standbys::Check{.cluster = cluster_}.params(),
                  &check_mark);
  // The check is its own unit: the server answers at once, and a failure does not abort the reads.
  channel_->sync();
  if (checks_due_ == 1) watch();
}

asio::awaitable<void> StandbyConnection::run(StandbyRead& read) {
  if (!state_) {
    read.fault = Observable::standby_unreachable;
    co_return;
  }
  waiting_.push(read.business, &read);
  schedule_flush();
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [&read](StandbyRead::Handler handler) { read.handler.emplace(std::move(handler)); },
      asio::use_awaitable);
}

void StandbyConnection::schedule_flush() {
  if (std::exchange(flush_scheduled_, true)) return;
  asio::post(io_, [self = shared_from_this()] {
    self->flush_scheduled_ = false;
    self->flush();
  });
}

void StandbyConnection::flush() {
  if (waiting_.empty() || (state_ && in_flight_ >= reads_of_connection)) return;
  if (state_) check();
  while (!waiting_.empty() && (!state_ || in_flight_ < reads_of_connection)) {
    StandbyRead& read = *waiting_.pop();
    if (!state_) {
      pass_over(read);
      continue;
    }
    ++in_flight_;
    if (read.statement.text.empty()) {
      channel_->query_text(read.statement.name, read.text, read.params, &read, read.format);
    } else {
      channel_->query(read.statement, read.params, &read, read.format);
    }
    channel_->sync();
  }
}

/// Limits the time until the next answer to a check.
void StandbyConnection::watch() {
  timer_.expires_after(check_limit);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self || self->checks_due_ == 0) return;
    self->give_up("no answer within the time limit");
  });
}

void StandbyConnection::give_up(const std::string& reason) {
  const auto owners = channel_->unanswered();
  channel_->close();
  lost(owners, reason);
}

// The closing is posted, because the caller may run inside a callback of the channel.
void StandbyConnection::close_soon(std::string_view reason) {
  asio::post(io_, [weak = weak_from_this(), reason = std::string(reason)] {
    if (const auto self = weak.lock()) self->give_up(reason);
  });
}

void StandbyConnection::received(void* owner, Answer answer) {
  if (is_read(owner)) {
    --in_flight_;
    StandbyRead& read = *static_cast<StandbyRead*>(owner);
    read_answered(read, std::move(answer));
    auto handler = std::move(*read.handler);
    return handler();
  }
  // Any answer shows that the server is alive.
  --checks_due_;
  if (checks_due_ == 0) {
    timer_.cancel();
  } else {
    watch();
  }
  if (answer.kind != Answer::Kind::rows) {
    state_.reset();
    if (answer.error) last_failure_ = answer.error->what();
    return;
  }
  if (owner == &check_mark) return check_answered(answer);
  cluster_ = TypedRows<sql::standbys::Identity>(answer.rows).front().cluster;
  check();
}

void StandbyConnection::check_answered(const Answer& answer) {
  const TypedRows<sql::standbys::Check> rows(answer.rows);
  const auto row = rows.front();
  state_ = {.cluster = cluster_,
            .is_standby = row.is_standby,
            .replayed = {.timeline = static_cast<std::uint32_t>(row.timeline),
                         .lsn = parse_lsn(row.lsn.value_or("")).value_or(0)},
            .checked_at = check_sent_};
}

void StandbyConnection::read_answered(StandbyRead& read, Answer answer) {
  switch (answer.kind) {
    case Answer::Kind::rows:
      if (!state_) {
        read.fault = Observable::standby_failed;
      } else if (!state_->is_standby) {
        read.fault = Observable::standby_promoted;
      } else if (state_->replayed < read.required) {
        read.fault = Observable::standby_behind;
      } else {
        read.position = state_->replayed;
        read.rows = std::move(answer.rows);
      }
      return;
    case Answer::Kind::failed:
      read.fault = standby_fault(*answer.error);
      last_failure_ = answer.error->what();
      if (!read.fault) read.error = std::make_exception_ptr(*answer.error);
      return;
    case Answer::Kind::stale:
    case Answer::Kind::aborted:
      read.fault = Observable::standby_refused;
  }
}

void StandbyConnection::lost(const std::vector<void*>& owners, const std::string& reason) {
  timer_.cancel();
  state_.reset();
  cluster_ = 0;
  checks_due_ = 0;
  in_flight_ = 0;
  last_failure_ = reason;
  for (void* const owner : owners) {
    if (is_read(owner)) pass_over(*static_cast<StandbyRead*>(owner));
  }
  while (!waiting_.empty()) pass_over(*waiting_.pop());
}

void StandbyConnection::shut_down() {
  const auto owners = channel_->unanswered();
  channel_->detach();
  lost(owners, "shutting down");
}

// The handler is posted, because the caller may be about to wait for this read.
void StandbyConnection::pass_over(StandbyRead& read) {
  read.fault = Observable::standby_unreachable;
  asio::post(io_, [handler = std::move(*read.handler)]() mutable { handler(); });
}

}  // namespace waybill::storage::pq
