#include "worker/alerts/alert_sender.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string_view>

#include "base/ascii.hpp"
#include "base/observe.hpp"
#include "net/http/webhook_signature.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/alerts.sql.hpp"
#include "worker/alerts/alert_message.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

constexpr auto poll_interval = 1s;
constexpr Duration lease = 45s;               // longer than any attempt; a mail's includes its wait
constexpr Duration not_attempted_delay = 5s;  // after a message without an attempt
constexpr std::int64_t most_alerts = 100;     // alerts of one statement
constexpr std::int64_t most_waiting = 1'000;  // messages of a business and channel
constexpr std::size_t most_in_flight = 64;    // messages of all businesses
constexpr int gone = 410;

/// The result of an attempt.
struct Verdict {
  enum class Kind {
    sent,
    retry,
    lost,      // no further attempt is made
    released,  // no attempt was made
  } kind = Kind::retry;
  std::string reason;
  std::optional<Duration> retry_after = {};
};

Verdict verdict_of(const net::HttpResponse& response, Time now) {
  using Kind = Verdict::Kind;
  if (response.failure == net::HttpFailure::cancelled) return {Kind::released, "The worker was stopped."};
  if (response.failure != net::HttpFailure::none) return {Kind::retry, response.error};
  const std::string reason = "The destination answered " + std::to_string(response.status) + ".";
  if (response.status >= 200 && response.status < 300) return {Kind::sent, ""};
  const std::string wish = ascii_lower(response.header("webhook-delivery").value_or(""));
  if (response.status == gone || wish == "abort-message" || wish == "disable") return {Kind::lost, reason};
  const auto after = response.header("retry-after");
  return {Kind::retry, reason, after ? domain::parse_retry_after(*after, now) : std::nullopt};
}

Verdict verdict_of(const net::MailOutcome& outcome) {
  using Kind = Verdict::Kind;
  switch (outcome.result) {
    case net::MailResult::sent:
      return {Kind::sent, ""};
    case net::MailResult::permanent:
      return {Kind::lost, outcome.reply};
    case net::MailResult::not_attempted:
      return {Kind::released, outcome.reply};
    case net::MailResult::limited:
    case net::MailResult::temporary:
      break;
  }
  return {Kind::retry, outcome.reply, outcome.retry_after};
}

}  // namespace

/// A claimed message.
struct AlertSender::Message {
  Guid business_id;
  Guid guid;
  bool is_mail = false;
  std::int32_t attempts = 0;  // with this one
  Alert alert;
  std::optional<std::string> triggers, conditions;  // of a silent workflow
  std::optional<std::string> address;               // the webhook, or the addresses of the mail, one per line
  std::optional<Bytes> sealed_secret;

  Channel channel() const { return {business_id, is_mail}; }
};

struct AlertSender::Result {
  Guid business_id;
  Guid guid;
  bool is_mail;
  std::int32_t attempts;
  std::string cause;
  Verdict verdict;
};

AlertSender::AlertSender(Options options, const SecretBox& secrets, net::HttpClient& http,
                         net::Mailer& mailer)
    : options_(std::move(options)),
      secrets_(secrets),
      http_(http),
      mailer_(mailer),
      session_(options_.database_url, "waybill alerts"),
      causes_(options_.database_url),
      loop_(
          ThreadKind::alerts, [this] { return turn(); },
          [this](const std::exception& error) { return failed(error); }) {}

AlertSender::~AlertSender() { stop_at_once(); }

void AlertSender::stop_accepting() {
  const Lock sending(sending_);
  const Lock lock(mutex_);
  stopping_ = true;
}

void AlertSender::stop(Moment /*until*/) {
  stop_accepting();
  if (!loop_.is_started()) return;
  {
    Lock lock(mutex_);
    all_ended_.wait(lock, [this]() REQUIRES(mutex_) { return in_flight_.empty(); });
  }
  loop_.stop();
  try {
    turn();
  } catch (const std::exception& error) {
    failed(error);
  }
}

Loop::Wait AlertSender::turn() {
  session_.open();
  settle_all();
  claim_and_send();
  return {poll_interval};
}

Duration AlertSender::failed(const std::exception& error) {
  session_.close();
  // LeaseKeeper logs that the database is unavailable.
  if (dynamic_cast<const storage::DatabaseUnavailable*>(&error) == nullptr)
    observe(Observable::statement_failed,
            {{"statement", "alerts"}, {"error", std::string_view(error.what())}});
  return poll_interval;
}

/// Writes the results. Those that cannot be written, and those of messages that another session has locked,
/// wait for the next look.
void AlertSender::settle_all() {
  std::vector<Result> results;
  {
    const Lock lock(mutex_);
    results.swap(results_);
  }
  const auto put_back = [&] {
    const Lock lock(mutex_);
    results_.insert(results_.begin(), results.begin(), results.end());
  };
  try {
    for (std::size_t i = results.size(); i-- > 0;)
      if (settle(results[i])) results.erase(results.begin() + static_cast<std::ptrdiff_t>(i));
  } catch (...) {
    put_back();
    throw;
  }
  put_back();
}

void AlertSender::claim_and_send() {
  {
    const Lock lock(mutex_);
    if (stopping_) return;
  }
  const auto found = session_->run(sql::alerts::Look{}).front();
  if (!found.has_alerts && !found.has_messages) return;
  const sql::alerts::MakeMessages make{.limit = most_alerts, .max_waiting = most_waiting};
  while (found.has_alerts && session_->run(make).front().alerts == most_alerts) continue;
  std::vector<Message> messages = claim();
  const auto explained = std::ranges::partition(messages, [](const Message& message) {
    return !message.triggers || !message.alert.silence.is_object();
  });
  for (auto message = messages.begin(); message != explained.begin(); ++message) send(*message);
  if (explained.empty()) return;
  causes_.begin_turn();
  for (Message& message : explained) send_explained(message);
  causes_.end_turn();
}

/// Sends the message of a silent workflow with the condition that explains it. Without time left, the message
/// waits for a later turn.
void AlertSender::send_explained(Message& message) {
  if (!causes_.has_time()) {
    return ended({message.business_id,
                  message.guid,
                  message.is_mail,
                  message.attempts,
                  message.alert.cause,
                  {Verdict::Kind::released, "Other messages took too long."}});
  }
  causes_.explain(message.business_id, *message.triggers, message.conditions.value_or("null"),
                  message.alert.silence.get_object());
  send(message);
}

/// False if another session has locked the message.
bool AlertSender::settle(const Result& result) {
  using Kind = Verdict::Kind;
  const Verdict& verdict = result.verdict;
  const Time now = options_.clock->now();
  const auto report = [&](Observable event) {
    observe(event, {{"alert", result.guid.to_string()},
                    {"business", result.business_id.to_string()},
                    {"cause", std::string_view(result.cause)},
                    {"channel", result.is_mail ? "email" : "webhook"},
                    {"attempt", result.attempts},
                    {"reason", std::string_view(verdict.reason)}});
  };
  const auto delay = [&](Time due, bool counts) {
    return !session_
                ->run(sql::alerts::Delay{.business = result.business_id,
                                         .message = result.guid,
                                         .attempts = result.attempts,
                                         .due_at = due,
                                         .counts = counts})
                .front()
                .is_locked;
  };
  if (verdict.kind == Kind::released) return delay(now + not_attempted_delay, false);
  const auto next = options_.schedule.next_attempt(static_cast<std::size_t>(result.attempts), now,
                                                   result.guid, verdict.retry_after);
  if (verdict.kind == Kind::retry && next) {
    if (!delay(*next, true)) return false;
    report(Observable::alert_delayed);
    return true;
  }
  const sql::alerts::Remove remove{
      .business = result.business_id, .message = result.guid, .attempts = result.attempts};
  if (session_->run(remove).front().is_locked) return false;
  report(verdict.kind == Kind::sent ? Observable::alert_sent : Observable::alert_lost);
  return true;
}

std::vector<AlertSender::Message> AlertSender::claim() {
  std::vector<Guid> busy_mail, busy_webhook;
  std::size_t places = most_in_flight;
  {
    const Lock lock(mutex_);
    for (const auto& [business, is_mail] : in_flight_)
      (is_mail ? busy_mail : busy_webhook).push_back(business);
    places -= std::min(places, in_flight_.size());
  }
  std::vector<Message> messages;
  if (places == 0) return messages;
  const auto rows = session_->run(sql::alerts::Claim{.lease = format_duration(lease),
                                                     .limit = static_cast<std::int64_t>(places),
                                                     .busy_mail = busy_mail,
                                                     .busy_webhook = busy_webhook});
  for (const auto& row : rows) {
    Message& message = messages.emplace_back();
    message.business_id = row.business_id;
    message.guid = row.guid;
    message.is_mail = row.channel == "email";
    message.attempts = row.attempts;
    message.address = std::optional<std::string>(row.address);
    message.sealed_secret = row.sealed_secret;
    const auto read = [](std::string_view text) {
      auto parsed = parse_json(text);
      auto* const value = std::get_if<json::value>(&parsed);
      return value == nullptr ? json::value(nullptr) : std::move(*value);
    };
    message.alert = {.cause = std::string(row.cause),
                     .subject_id = row.subject_id,
                     .count = row.count,
                     .at = row.created_at,
                     .failed_from = row.failed_from,
                     .failed_to = row.failed_to,
                     .business_name = std::string(row.business_name),
                     .workflow_name = std::optional<std::string>(row.workflow_name),
                     .paused_reason = std::optional<std::string>(row.paused_reason),
                     .run = read(row.run.value_or(row.import.value_or("null"))),
                     .tries = std::optional<std::string>(row.tries),
                     .store = std::string(row.store_url.value_or(row.provider.value_or("a store"))),
                     .carrier_name = std::optional<std::string>(row.carrier_name),
                     .silence = read(row.silence.value_or("null")),
                     .purchase = read(row.purchase.value_or("null"))};
    message.triggers = std::optional<std::string>(row.trigger_code);
    message.conditions = std::optional<std::string>(row.conditions);
  }
  return messages;
}

void AlertSender::send(const Message& message) {
  const Lock sending(sending_);
  {
    const Lock lock(mutex_);
    if (stopping_) return;  // another worker claims it when the claim ends
    in_flight_.insert(message.channel());
  }
  if (!message.address) {
    ended({message.business_id,
           message.guid,
           message.is_mail,
           message.attempts,
           message.alert.cause,
           {Verdict::Kind::lost, "The business no longer has an address for this alert."}});
  } else if (message.is_mail) {
    send_mail(message);
  } else {
    send_webhook(message);
  }
}

void AlertSender::send_webhook(const Message& message) {
  Result result{message.business_id, message.guid,
                message.is_mail,     message.attempts,
                message.alert.cause, {Verdict::Kind::lost, "The secret cannot be read."}};
  std::optional<net::WebhookSecret> secret;
  try {
    if (message.sealed_secret)
      secret = net::WebhookSecret::parse(
          secrets_.open(*message.sealed_secret, storage::alert_secret_purpose(message.business_id)));
  } catch (const SecretError&) {  // NOLINT(bugprone-empty-catch): reported with the message
  }
  if (!secret) return ended(std::move(result));
  const std::string id = "msg_" + message.guid.to_string();
  const std::int64_t timestamp = to_unix_seconds(options_.clock->now());
  net::HttpRequest request;
  request.url = *message.address;
  request.owner = message.business_id.to_string();
  request.body = alert_payload(message.alert, options_.public_url);
  request.headers = {
      {"Content-Type", "application/json"},
      {"webhook-id", id},
      {"webhook-timestamp", std::to_string(timestamp)},
      {"webhook-signature", net::webhook_signature({&*secret, 1}, id, timestamp, request.body)}};
  http_.send(std::move(request), [this, result = std::move(result)](const net::HttpResponse& response) {
    Result over = result;
    over.verdict = verdict_of(response, options_.clock->now());
    ended(std::move(over));
  });
}

void AlertSender::send_mail(const Message& message) {
  net::MailMessage mail = alert_mail(message.alert, options_.public_url);
  for (const auto line : std::views::split(*message.address, '\n'))
    mail.to.emplace_back(line.begin(), line.end());
  mail.from = options_.mail_from;
  mail.message_id = net::message_id(message.guid.to_string(), options_.mail_from);
  mail.owner = message.business_id.to_string();
  Result result{message.business_id, message.guid, true, message.attempts, message.alert.cause, {}};
  mailer_.send(std::move(mail), [this, result = std::move(result)](const net::MailOutcome& outcome) {
    Result over = result;
    over.verdict = verdict_of(outcome);
    ended(std::move(over));
  });
}

void AlertSender::ended(Result result) {
  const Lock lock(mutex_);
  if (stopping_ && result.is_mail && result.verdict.kind == Verdict::Kind::retry)
    result.verdict.kind = Verdict::Kind::released;  // the stop of the mailer may be the cause
  in_flight_.erase({result.business_id, result.is_mail});
  results_.push_back(std::move(result));
  // Under the lock, because this object may end as soon as nothing is in flight.
  loop_.wake();
  if (in_flight_.empty()) all_ended_.notify_all();
}

}  // namespace waybill::worker
