// Connecting and disconnecting of a channel.
#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/backoff.hpp"
#include "base/observe.hpp"
#include "storage/pq/channel.hpp"
#include "storage/pq/connect_params.hpp"

namespace waybill::storage::pq {
namespace {

using Wait = asio::posix::stream_descriptor::wait_type;
using std::chrono::steady_clock;

constexpr auto first_pause = std::chrono::milliseconds(25);
constexpr auto longest_pause = std::chrono::milliseconds(1000);

// Time limit for each of several hosts.
constexpr auto host_limit = std::chrono::seconds(2);
// After the lock timeout the client gets an error and can repeat the request. The server ends a transaction
// whose client hangs.
constexpr std::string_view write_limits = " -c lock_timeout=2s -c idle_in_transaction_session_timeout=15s";

std::string session_settings(const ChannelOptions& options) {
  const auto timeout = std::max<std::int64_t>(
      1, std::chrono::ceil<std::chrono::milliseconds>(options.statement_timeout).count());
  // JIT compilation of a plan costs more than it saves for the short statements of an API.
  return "-c TimeZone=UTC -c jit=off -c statement_timeout=" + std::to_string(timeout) +
         (options.read_only ? " -c default_transaction_read_only=on" : std::string(write_limits));
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

}  // namespace

std::shared_ptr<LastConnection> last_connection(const std::string& url) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<LastConnection>> connections;
  const std::lock_guard lock(mutex);
  auto& last = connections[url];
  if (!last) last = std::make_shared<LastConnection>();
  return last;
}

void Channel::open() {
  state_ = State::connecting;
  attempted_hosts_ = 0;
  attempted_at_ = steady_clock::now();
  host_ = last_connection_->host;
  connect_soon();
}

// Posted, because `lost` must not reach a listener that is about to wait.
void Channel::connect_soon() {
  ++epoch_;
  asio::post(io_, [self = shared_from_this(), epoch = epoch_] {
    if (epoch == self->epoch_) self->start_connecting();
  });
}

void Channel::start_connecting() {
  // One host at a time: the asynchronous interface of libpq has no time limit, and an unresponsive host would
  // block the attempt on the next one.
  const ConnectParams params(options_.url, options_.application_name, session_settings(options_),
                             host_count_ > 1 ? std::optional(host_) : std::nullopt);
  connection_.reset(PQconnectStartParams(params.keywords(), params.values(), 1));
  if (!connection_) return fail("out of memory");
  if (PQstatus(connection_.get()) == CONNECTION_BAD) return fail(PQerrorMessage(connection_.get()));
  PQsetNoticeReceiver(connection_.get(), &Channel::on_notice, this);
  watch_until(steady_clock::now() + (host_count_ > 1
                                         ? std::min<Duration>(host_limit, options_.connect_timeout)
                                         : options_.connect_timeout));
  on_socket(Wait::wait_write, &Channel::poll_connecting);
}

void Channel::poll_connecting() {
  // libpq may continue with another socket, even one with the same descriptor.
  if (socket_.is_open()) socket_.release();
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
  last_connection_->host = host_;
  timer_.cancel();
  watching_ = false;
  if (!options_.is_optional) set_gauge(Gauge::database_up, 1);
  add_to_gauge(Gauge::database_connections, 1);
  if (std::exchange(was_lost_, false) && !options_.is_optional) observe(Observable::database_reconnected);
  on_socket(Wait::wait_read, &Channel::on_readable);
  listener_->opened();
}

void Channel::on_socket(Wait direction, Step step) {
  if (!socket_.is_open()) {
    boost::system::error_code error;
    socket_.assign(PQsocket(connection_.get()), error);
    if (error) return fail(error.message());
  }
  socket_.async_wait(
      direction, [self = shared_from_this(), epoch = epoch_, step](const boost::system::error_code& error) {
        if (!error && epoch == self->epoch_) (self.get()->*step)();
      });
}

void Channel::watch_until(SteadyTime time) {
  watching_ = true;
  timer_.expires_at(time);
  timer_.async_wait([self = shared_from_this(), epoch = epoch_](const boost::system::error_code& error) {
    if (!error && epoch == self->epoch_) self->check_progress();
  });
}

// The server limits the time of statements; after that limit the connection or the server hangs.
void Channel::check_progress() {
  watching_ = false;
  if (state_ == State::connecting) return fail("no connection within the time limit");
  if (syncs_due_ == 0) return;
  const auto limit = progress_ + options_.statement_timeout + options_.connect_timeout;
  if (steady_clock::now() >= limit) return fail("no answer within the time limit");
  watch_until(limit);
}

void Channel::on_notice(void* channel, const PGresult* notice) {
  const std::string_view severity = error_field(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity == "FATAL" || severity == "PANIC") static_cast<Channel*>(channel)->is_ending_ = true;
}

std::vector<void*> Channel::unanswered() const {
  std::vector<void*> owners;
  for (const auto& sent : sent_) {
    if (sent.kind == Kind::query && !sent.is_answered) owners.push_back(sent.owner);
  }
  return owners;
}

void Channel::fail(const std::string& reason) {
  const auto owners = unanswered();
  last_failure_ = first_line(reason);
  if (state_ == State::connecting && ++attempted_hosts_ < host_count_) {
    host_ = (host_ + 1) % host_count_;
    tear_down();
    state_ = State::connecting;
    return connect_soon();
  }
  // A connection that breaks before its first answer counts as a failed attempt only from the second time.
  if (state_ == State::connecting || (!has_answered_ && failures_ > 0)) {
    const Duration pause = std::min(first_pause * (1 << std::min(failures_++, 6)), longest_pause);
    next_attempt_ = steady_clock::now() + spread(pause);
    if (!options_.is_optional) set_gauge(Gauge::database_up, 0);
  } else if (!has_answered_) {
    ++failures_;
  }
  was_lost_ = true;
  tear_down();
  if (!options_.is_optional) observe(Observable::database_unavailable, {{"reason", last_failure_}});
  if (listener_ != nullptr) listener_->lost(owners, last_failure_);
}

void Channel::tear_down() {
  ++epoch_;
  if (state_ == State::open) add_to_gauge(Gauge::database_connections, -1);
  state_ = State::closed;
  timer_.cancel();
  if (socket_.is_open()) socket_.release();
  connection_.reset();
  sent_.clear();
  syncs_due_ = 0;
  prepared_.clear();
  terminator_due_ = watching_ = writing_ = is_ending_ = send_failed_ = has_answered_ = false;
}

void Channel::close() { tear_down(); }

void Channel::detach() {
  listener_ = nullptr;
  tear_down();
}

}  // namespace waybill::storage::pq
