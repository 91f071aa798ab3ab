#include "tests/simulate/destinations.hpp"

#include <utility>

namespace waybill::simulate {
namespace {

using namespace std::chrono_literals;

}  // namespace

std::string Destinations::url(std::size_t destination) {
  return "http://d" + std::to_string(destination % count) + ".test/hook";
}

net::HttpResponse ModelHttp::cancelled() {
  net::HttpResponse response;
  response.failure = net::HttpFailure::cancelled;
  response.error = net::client_stopped;
  return response;
}

/// The answer of a destination, and its time.
ModelHttp::Answer ModelHttp::answer(const net::HttpRequest& request) {
  Scheduler& scheduler = destinations_.scheduler_;
  Random& random = scheduler.random();
  const auto destination = static_cast<std::size_t>(request.url.at(8) - '0');
  std::string message;
  for (const auto& [name, value] : request.headers) {
    if (name == "webhook-id") message = value;
  }
  destinations_.sent_(message, scheduler.owner());
  using Health = Destinations::Health;
  const auto found = destinations_.health_.find(destination);
  const Health health = found == destinations_.health_.end() ? Health::good : found->second;
  Answer answer{.message = message,
                .response = {},
                .after = random.between(200us, random.chance(5) ? Duration(300ms) : Duration(5ms))};
  bool accepted = false;
  switch (health) {
    case Health::good:
      accepted = true;
      break;
    case Health::slow:
      accepted = true;
      answer.after = random.between(500ms, 6s);
      break;
    case Health::losing:
      accepted = true;
      answer.response.failure = net::HttpFailure::protocol;
      break;
    case Health::silent:
      answer.response.failure = net::HttpFailure::timeout;
      answer.after = request.total_timeout;
      break;
    case Health::failing:
      answer.response.status = 500;
      break;
  }
  if (accepted && answer.response.failure == net::HttpFailure::none) answer.response.status = 200;
  if (answer.response.failure != net::HttpFailure::none) answer.response.error = "No answer came.";
  destinations_.arrivals_.push_back({std::move(message), destination, accepted});
  return answer;
}

void ModelMailer::transmit(net::MailMessage message, Done done) {
  if (is_cut_off_) {
    done({.result = net::MailResult::not_attempted});
    return;
  }
  const std::string id = "msg_" + message.message_id.substr(1, message.message_id.find('@') - 1);
  destinations_.sent_(id, destinations_.scheduler_.owner());
  destinations_.arrivals_.push_back({id, Destinations::count, true});
  done({.result = net::MailResult::sent});
}

void ModelHttp::send(net::HttpRequest request, Done done) {
  if (is_cut_off_ || is_closed_) {
    done(cancelled());
    return;
  }
  Scheduler& scheduler = destinations_.scheduler_;
  Answer answered = answer(request);
  answered.response.started_at = scheduler.time() + scheduler.skew();
  answered.response.duration = answered.after;
  const std::uint64_t number = ++last_;
  open_.emplace(number, std::move(done));
  scheduler.start(scheduler.owner(), [this, number, answered = std::move(answered)] {
    destinations_.scheduler_.sleep(answered.after);
    const auto found = open_.find(number);
    if (found == open_.end()) return;
    const Done end = std::move(found->second);
    open_.erase(found);
    if (answered.response.status == 200)
      destinations_.told_.emplace(destinations_.scheduler_.owner(), answered.message);
    end(answered.response);
  });
}

void ModelHttp::stop(Moment /*until*/) {
  is_closed_ = true;
  for (auto open = std::exchange(open_, {}); const auto& [number, done] : open) done(cancelled());
}

}  // namespace waybill::simulate
