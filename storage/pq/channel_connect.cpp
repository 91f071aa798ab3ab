// Connecting and disconnecting of a channel.
#include <algorithm>
#include <optional>

#include "base/observe.hpp"
#include "storage/pq/channel.hpp"
#include "storage/pq/connect_params.hpp"

namespace waybill::storage::pq {
namespace {

using Wait = ChannelWaits::Direction;
using std::chrono::steady_clock;

// Time limit for each of several hosts.
constexpr auto host_limit = std::chrono::seconds(2);
// After the lock timeout the client gets an error and can repeat the request. The server ends a transaction
// whose client hangs.
constexpr std::string_view write_limits = " -c lock_timeout=2s -c idle_in_transaction_session_timeout=15s";

std::string read_limits(const ChannelOptions& options) {
  const auto lock = std::chrono::ceil<std::chrono::milliseconds>(options.lock_timeout).count();
  return " -c default_transaction_read_only=on -c lock_timeout=" + std::to_string(lock);
}

std::string session_settings(const ChannelOptions& options) {
  const auto timeout = std::max<std::int64_t>(
      1, std::chrono::ceil<std::chrono::milliseconds>(options.statement_timeout).count());
  return std::string(own_settings) + " -c statement_timeout=" + std::to_string(timeout) +
         std::string(options.plans_each_call ? " -c plan_cache_mode=force_custom_plan"
                                             : plans_without_scans) +
         (options.read_only ? read_limits(options) : std::string(write_limits));
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

}  // namespace

void Channel::open() {
  state_ = State::connecting;
  attempts_.begin(steady_clock::now());
  connect_soon();
}

// The start is posted, because `lost` must not reach a listener that is about to wait.
void Channel::connect_soon() {
  waits_.end();
  waits_.for_turn([self = shared_from_this()] { self->start_connecting(); });
}

void Channel::start_connecting() {
  // One host at a time: the asynchronous interface of libpq has no time limit, and an unresponsive host would
  // block the attempt on the next one.
  const ConnectParams params(options_.url, options_.application_name, session_settings(options_),
                             attempts_.has_several_hosts() ? std::optional(attempts_.host()) : std::nullopt);
  connection_.reset(PQconnectStartParams(params.keywords(), params.values(), 1));
  if (!connection_) return fail("out of memory");
  if (PQstatus(connection_.get()) == CONNECTION_BAD) return fail(PQerrorMessage(connection_.get()));
  PQsetNoticeReceiver(connection_.get(), &Channel::on_notice, this);
  watch_until(steady_clock::now() + (attempts_.has_several_hosts()
                                         ? std::min<Duration>(host_limit, options_.connect_timeout)
                                         : options_.connect_timeout));
  on_socket(Wait::wait_write, &Channel::poll_connecting);
}

void Channel::poll_connecting() {
  // libpq may continue with another socket, even one with the same descriptor.
  waits_.release_socket();
  switch (PQconnectPoll(connection_.get())) {
    case PGRES_POLLING_READING:
      return on_socket(Wait::wait_read, &Channel::poll_connecting);
    case PGRES_POLLING_WRITING:
      return on_socket(Wait::wait_write, &Channel::poll_connecting);
    case PGRES_POLLING_OK:
      return established();
    default:
      return fail(PQerrorMessage(connection_.get()));
  }
}

void Channel::established() {
  if (PQsetnonblocking(connection_.get(), 1) != 0 || PQenterPipelineMode(connection_.get()) == 0) {
    return fail(PQerrorMessage(connection_.get()));
  }
  state_ = State::open;
  const bool was_lost = attempts_.connected();
  waits_.stop_timer();
  if (!options_.is_optional) set_gauge(Gauge::database_up, 1);
  add_to_gauge(Gauge::database_connections, 1);
  if (was_lost && !options_.is_optional) observe(Observable::database_reconnected);
  on_socket(Wait::wait_read, &Channel::on_readable);
  listener_->opened();
}

void Channel::on_socket(Wait direction, Step step) {
  const auto error = waits_.for_socket(PQsocket(connection_.get()), direction,
                                       [self = shared_from_this(), step] { (self.get()->*step)(); });
  if (error) fail(error.message());
}

void Channel::watch_until(SteadyTime time) {
  waits_.until(time, [self = shared_from_this()] { self->check_progress(); });
}

// The server limits the time of statements; after that limit the connection or the server hangs.
void Channel::check_progress() {
  if (state_ == State::connecting) return fail("no connection within the time limit");
  if (!sent_.awaits_sync()) return;
  const auto limit = sent_.last_progress() + options_.statement_timeout + options_.connect_timeout;
  if (steady_clock::now() >= limit) return fail("no answer within the time limit");
  watch_until(limit);
}

void Channel::on_notice(void* channel, const PGresult* notice) {
  const std::string_view severity = error_field(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity == "FATAL" || severity == "PANIC") static_cast<Channel*>(channel)->is_ending_ = true;
}

void Channel::fail(const std::string& reason) {
  const auto owners = unanswered();
  last_failure_ = first_line(reason);
  if (state_ == State::connecting && attempts_.try_next_host()) {
    tear_down();
    state_ = State::connecting;
    return connect_soon();
  }
  const bool has_failed = attempts_.lost(state_ == State::connecting, steady_clock::now());
  if (has_failed && !options_.is_optional) set_gauge(Gauge::database_up, 0);
  tear_down();
  if (!options_.is_optional) observe(Observable::database_unavailable, {{"reason", last_failure_}});
  if (listener_ != nullptr) listener_->lost(owners, last_failure_);
}

void Channel::tear_down() {
  waits_.end();
  if (state_ == State::open) add_to_gauge(Gauge::database_connections, -1);
  state_ = State::closed;
  waits_.release_socket();
  connection_.reset();
  sent_.clear();
  prepared_.clear();
  attempts_.closed();
  writing_ = is_ending_ = send_failed_ = false;
}

void Channel::close() { tear_down(); }

void Channel::detach() {
  listener_ = nullptr;
  tear_down();
}

}  // namespace waybill::storage::pq
