#include "actions/web_push/web_push_fan_out.hpp"

#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <unordered_set>

#include "actions/http_response.hpp"
#include "actions/web_push/web_push_results.hpp"
#include "base/observe.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t max_in_flight = 32;                    // messages of one attempt
constexpr Duration sending_time = std::chrono::seconds(12);  // the attempt starts no request later
constexpr Duration request_time = std::chrono::seconds(10);

/// One attempt. Runs on the sender's thread only; the client's responses are posted there.
class FanOut : public std::enable_shared_from_this<FanOut> {
 public:
  FanOut(PushMessage message, WebPushSender& sender, net::HttpSender& http, const Clock& clock,
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
        results_.cancel();
      }
    } catch (const std::exception& error) {
      observe(Observable::push_lookup_failed,
              {{"business", message_.business.to_string()}, {"error", std::string_view(error.what())}});
      results_.unreadable();
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
      const std::size_t index = results_.add(subscription.guid);
      const auto destination = net::parse_destination(subscription.endpoint);
      if (signer_ && destination) {
        waiting_[destination->key() + '/' + message_.business.to_string()].push_back(index);
      } else {
        results_.refuse(index, signer_ ? "MALFORMED" : "NO_VAPID_KEYS");
      }
      targets_.push_back(std::move(subscription));
    }
  }

  // Sends what the limits allow, gives up on broken services, and ends the attempt when none is left.
  void advance() {
    const bool over =
        results_.is_cancelled() || sender_.closed() || clock_.now() - started_at_ >= sending_time;
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
      results_.refuse(index, "MALFORMED");
      return false;
    }
    net::HttpRequest request;
    request.url = target.endpoint;
    request.owner = message_.business.to_string();
    try {
      request.body = net::encrypt_push(message_.text, *receiver);
      request.headers = message_.headers;
      request.headers.emplace_back("Authorization", signer_->authorization(request.url, clock_.now()));
    } catch (const std::runtime_error& error) {  // OpenSSL failed
      results_.fail(index, error.what());
      return false;
    }
    request.total_timeout = request_time;
    request.keep_limit = PushResults::max_reason_bytes;
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
      results_.cancel();
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
    }
    const PushResult result = results_.respond(index, response, now);
    count(service, result, response, now);
    observe_result(result);
    if (result == PushResult::gone) sender_.remove(message_.business, targets_[index]);
  }

  void count(const std::string& service, PushResult result, const net::HttpResponse& response, Time now) {
    if (sender_.counts() == nullptr) return;
    sender_.counts()->note({.business = message_.business,
                            .kind = net::DestinationKind::push,
                            .destination = std::string_view(service).substr(0, service.find('/')),
                            .workflow = message_.workflow,
                            .succeeded = result == PushResult::delivered || result == PushResult::gone,
                            .duration = response.duration,
                            .at = now,
                            .health = sender_.services().health(service)});
  }

  static void observe_result(PushResult result) {
    switch (result) {
      case PushResult::delivered:
        return observe(Observable::push_delivered);
      case PushResult::gone:
        return observe(Observable::push_subscription_gone);
      default:
        return observe(Observable::push_failed);
    }
  }

  void give_up(std::deque<std::size_t>& indexes, bool broken) {
    if (broken) results_.service_is_down(indexes);
    indexes.clear();
  }

  void conclude() {
    if (results_.any_waiting() && sender_.closed()) results_.cancel();
    finish(results_.outcome(message_.history));
  }

  void finish(Outcome outcome) {
    const Action::Finish done = std::exchange(finish_, nullptr);
    if (!done) return;
    const Time now = clock_.now();
    AttemptResult result;
    result.outcome = std::move(outcome);
    result.started_at = started_at_;
    result.duration = now - started_at_;
    results_.report(result);
    done(std::move(result));
  }

  const PushMessage message_;
  WebPushSender& sender_;
  net::HttpSender& http_;
  const Clock& clock_;
  Action::Finish finish_;
  const Time started_at_;
  std::shared_ptr<net::VapidSigner> signer_;
  std::vector<storage::PushSubscription> targets_;
  PushResults results_;                                     // by index of targets_
  std::map<std::string, std::deque<std::size_t>> waiting_;  // indexes of targets_ by push service
  std::size_t in_flight_ = 0;
  bool awaits_slot_ = false;  // registered with the sender for a free slot
};

}  // namespace

void fan_out_push(PushMessage message, WebPushSender& sender, net::HttpSender& http, const Clock& clock,
                  Action::Finish finish) {
  const auto fan_out = std::make_shared<FanOut>(std::move(message), sender, http, clock, std::move(finish));
  const Guid business = fan_out->business();
  sender.post(business, [fan_out] { fan_out->begin(); });
}

}  // namespace waybill::actions
