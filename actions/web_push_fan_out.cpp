#include "actions/web_push_fan_out.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <unordered_set>

#include "actions/http_response.hpp"
#include "base/observe.hpp"
#include "domain/retry.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t max_in_flight = 32;                    // messages of one attempt
constexpr Duration sending_time = std::chrono::seconds(12);  // the attempt starts no request later
constexpr Duration request_time = std::chrono::seconds(10);
constexpr std::size_t max_reason_bytes = 500;  // stored bytes of a refusal

bool is_permanent(int status) { return status < 500 && status != 429 && status != 408; }

PushEntry entry_for(const Guid& subscription, const net::HttpResponse& response, Time now) {
  PushEntry entry{.subscription = subscription, .code = {}};
  if (response.failure != net::HttpFailure::none) {
    entry.result = PushResult::failed;
    entry.code = failure_code(response.failure);
    return entry;
  }
  entry.status_code = response.status;
  if (response.status >= 200 && response.status < 300) {
    entry.result = PushResult::delivered;
    return entry;
  }
  entry.code = "HTTP_" + std::to_string(response.status);
  if (response.status == 404 || response.status == 410) {
    entry.result = PushResult::gone;  // RFC 8030 section 7.3
  } else if (is_permanent(response.status)) {
    entry.result = PushResult::refused;
  } else {
    entry.result = PushResult::failed;
    if (const auto after = response.header("retry-after"))
      entry.retry_after = domain::parse_retry_after(*after, now);
  }
  return entry;
}

/// One attempt. Runs on the sender's thread only; the client's responses are posted there.
class FanOut : public std::enable_shared_from_this<FanOut> {
 public:
  FanOut(PushMessage message, WebPushSender& sender, net::HttpClient& http, const Clock& clock,
         Action::Finish finish)
      : message_(std::move(message)),
        sender_(sender),
        http_(http),
        clock_(clock),
        finish_(std::move(finish)),
        started_at_(clock.now()) {}

  const Guid& business() const { return message_.business; }

  void begin() {
    try {
      if (auto audience = sender_.find(message_.business, message_.user)) {
        gather(std::move(*audience));
      } else {
        cancelled_ = true;
      }
    } catch (const std::exception& error) {
      observe(Observable::push_lookup_failed,
              {{"business", message_.business.to_string()}, {"error", std::string_view(error.what())}});
      error_ = "The subscriptions could not be read.";
      return finish(Retry{"INTERNAL_ERROR"});
    }
    advance();
  }

 private:
  void gather(PushAudience audience) {
    signer_ = std::move(audience.signer);
    std::unordered_set<Guid> remaining;
    if (message_.history.remaining)
      remaining.insert(message_.history.remaining->begin(), message_.history.remaining->end());
    for (storage::PushSubscription& subscription : audience.subscriptions) {
      if (message_.history.remaining && !remaining.contains(subscription.guid)) continue;
      const std::size_t index = targets_.size();
      entries_.push_back({.subscription = subscription.guid, .code = "NOT_TRIED"});
      const auto destination = net::parse_destination(subscription.endpoint);
      if (signer_ && destination) {
        waiting_[destination->key() + '/' + message_.business.to_string()].push_back(index);
      } else {
        refuse(index, signer_ ? "MALFORMED" : "NO_VAPID_KEYS");
      }
      targets_.push_back(std::move(subscription));
    }
  }

  void refuse(std::size_t index, std::string_view code) {
    entries_[index].result = PushResult::refused;
    entries_[index].code = code;
  }

  // Sends what the limits allow, gives up on broken services, and ends the attempt when none is left.
  void advance() {
    const bool over = cancelled_ || sender_.closed() || clock_.now() - started_at_ >= sending_time;
    for (auto each = waiting_.begin(); each != waiting_.end();) {
      auto& [service, indexes] = *each;
      if (!over) send_to(service, indexes);
      const bool broken = sender_.services().state(service) == net::CircuitBreaker::State::open;
      if (over || broken) give_up(indexes, broken);
      each = indexes.empty() ? waiting_.erase(each) : std::next(each);
    }
    if (waiting_.empty() && in_flight_ == 0) {
      conclude();
    } else if (!waiting_.empty() && in_flight_ < max_in_flight && !awaits_slot_) {
      awaits_slot_ = true;
      sender_.when_slot_is_free([self = shared_from_this()] {
        self->awaits_slot_ = false;
        self->advance();
      });
    }
  }

  void send_to(const std::string& service, std::deque<std::size_t>& indexes) {
    while (!indexes.empty() && in_flight_ < max_in_flight &&
           sender_.services().try_start(service, clock_.now())) {
      const std::size_t index = indexes.front();
      indexes.pop_front();
      if (!send(index, service)) sender_.services().released(service, clock_.now());
    }
  }

  // Returns false if no request was sent.
  bool send(std::size_t index, const std::string& service) {
    const storage::PushSubscription& target = targets_[index];
    const auto receiver = net::PushReceiver::parse(target.p256dh, target.auth);
    if (!receiver) {
      refuse(index, "MALFORMED");
      return false;
    }
    net::HttpRequest request;
    request.url = target.endpoint;
    try {
      request.body = net::encrypt_push(message_.text, *receiver);
      request.headers = message_.headers;
      request.headers.emplace_back("Authorization", signer_->authorization(request.url, clock_.now()));
    } catch (const std::runtime_error& error) {  // OpenSSL failed
      entries_[index].result = PushResult::failed;
      entries_[index].code = "INTERNAL_ERROR";
      error_ = error.what();
      return false;
    }
    request.total_timeout = request_time;
    request.keep_limit = max_reason_bytes;
    request.headers.emplace_back("Content-Type", "application/octet-stream");
    request.headers.emplace_back("Content-Encoding", "aes128gcm");
    ++in_flight_;
    http_.send(std::move(request), [self = shared_from_this(), index, service](net::HttpResponse response) {
      self->sender_.post(self->message_.business, [self, index, service, response = std::move(response)] {
        self->on_response(index, service, response);
      });
    });
    return true;
  }

  void on_response(std::size_t index, const std::string& service, const net::HttpResponse& response) {
    const Time now = clock_.now();
    --in_flight_;
    if (response.failure == net::HttpFailure::cancelled) {
      cancelled_ = true;
      sender_.services().released(service, now);
    } else {
      record_response(index, service, response, now);
    }
    const auto self = shared_from_this();
    advance();
    sender_.slot_freed();
  }

  void record_response(std::size_t index, const std::string& service, const net::HttpResponse& response,
                       Time now) {
    if (is_destination_failure(response)) {
      sender_.services().failed(service, now);
    } else {
      sender_.services().succeeded(service, now);
      healthy_ = true;
    }
    PushEntry& entry = entries_[index];
    entry = entry_for(entry.subscription, response, now);
    observe_entry(entry);
    if (entry.result == PushResult::gone) sender_.remove(message_.business, targets_[index]);
    if (entry.result == PushResult::delivered || entry.result == PushResult::gone || error_) return;
    error_ = response.failure != net::HttpFailure::none
                 ? response.error
                 : "A push service answered " + std::to_string(response.status) + ": " +
                       limited_text(response.body, max_reason_bytes);
  }

  static void observe_entry(const PushEntry& entry) {
    switch (entry.result) {
      case PushResult::delivered:
        return observe(Observable::push_delivered);
      case PushResult::gone:
        return observe(Observable::push_subscription_gone);
      default:
        return observe(Observable::push_failed);
    }
  }

  void give_up(std::deque<std::size_t>& indexes, bool broken) {
    if (broken) {
      for (const std::size_t index : indexes) entries_[index].code = "SERVICE_DOWN";
      down_ = true;
    }
    indexes.clear();
  }

  void conclude() {
    const bool unfinished = std::ranges::any_of(
        entries_, [](const PushEntry& entry) { return entry.result == PushResult::waiting; });
    cancelled_ = cancelled_ || (unfinished && sender_.closed());
    finish(push_outcome(entries_, message_.history));
  }

  void finish(Outcome outcome) {
    const Action::Finish done = std::exchange(finish_, nullptr);
    if (!done) return;
    const Time now = clock_.now();
    AttemptResult result;
    result.outcome = std::move(outcome);
    result.started_at = started_at_;
    result.duration = now - started_at_;
    result.cancelled = cancelled_;
    if (!entries_.empty()) result.response = push_report(entries_);
    result.status_code = status_code();
    if (!std::holds_alternative<Done>(result.outcome)) result.error = std::move(error_);
    result.destination_failed =
        !healthy_ && (down_ || std::ranges::any_of(entries_, [](const PushEntry& entry) {
                        return entry.result == PushResult::failed;
                      }));
    done(std::move(result));
  }

  // The status code of the worst result.
  std::optional<int> status_code() const {
    for (const auto wanted :
         {PushResult::failed, PushResult::refused, PushResult::delivered, PushResult::gone}) {
      for (const PushEntry& entry : entries_) {
        if (entry.result == wanted && entry.status_code) return entry.status_code;
      }
    }
    return std::nullopt;
  }

  const PushMessage message_;
  WebPushSender& sender_;
  net::HttpClient& http_;
  const Clock& clock_;
  Action::Finish finish_;
  const Time started_at_;
  std::shared_ptr<net::VapidSigner> signer_;
  std::vector<storage::PushSubscription> targets_;
  std::vector<PushEntry> entries_;                          // by index of targets_
  std::map<std::string, std::deque<std::size_t>> waiting_;  // indexes of targets_ by push service
  std::size_t in_flight_ = 0;
  std::optional<std::string> error_;  // the first error
  bool awaits_slot_ = false;          // registered with the sender for a free slot
  bool cancelled_ = false;
  bool healthy_ = false;  // a push service answered
  bool down_ = false;     // the circuit breaker of a push service is open
};

}  // namespace

void fan_out_push(PushMessage message, WebPushSender& sender, net::HttpClient& http, const Clock& clock,
                  Action::Finish finish) {
  const auto fan_out = std::make_shared<FanOut>(std::move(message), sender, http, clock, std::move(finish));
  const Guid business = fan_out->business();
  sender.post(business, [fan_out] { fan_out->begin(); });
}

}  // namespace waybill::actions
