#include "actions/mail/mail_report.hpp"

#include <algorithm>

#include "actions/http_response.hpp"
#include "base/ascii.hpp"

namespace waybill::actions {
namespace {

constexpr auto busy_pause = std::chrono::seconds(1);  // after the mailer had too many mails to take this one
constexpr std::size_t max_reply_bytes = 500;          // for each of up to 100 recipients
constexpr std::string_view delivered = "delivered";
constexpr std::string_view refused = "refused";
constexpr std::string_view failed = "failed";

/// The three-digit code at the start of an SMTP reply; nullopt if there is none.
std::optional<int> reply_code(std::string_view reply) {
  const bool has_code = reply.size() >= 3 && std::ranges::all_of(reply.substr(0, 3), is_digit) &&
                        (reply.size() == 3 || !is_digit(reply[3]));
  return has_code ? std::optional(std::stoi(std::string(reply.substr(0, 3)))) : std::nullopt;
}

std::string failure_code(std::string_view reply, std::string_view otherwise) {
  const auto code = reply_code(reply);
  return code ? "SMTP_" + std::to_string(*code) : std::string(otherwise);
}

Outcome retry(std::string_view reply) { return Retry{failure_code(reply, "MAIL_SERVER")}; }
Outcome never(std::string_view reply) { return Dead{failure_code(reply, "MAIL_REFUSED")}; }

std::string_view result_name(const net::MailRefusal& refusal) { return refusal.is_final ? refused : failed; }

std::string report(const std::vector<std::string>& addresses, const std::vector<net::MailRefusal>& refusals) {
  json::object counts{{delivered, addresses.size() - refusals.size()}, {refused, 0}, {failed, 0}};
  json::array recipients;
  for (const std::string& address : addresses) {
    const auto refusal = std::ranges::find(refusals, address, &net::MailRefusal::to);
    if (refusal == refusals.end()) {
      recipients.push_back({{"address", address}, {"result", delivered}, {"reply", nullptr}});
    } else {
      ++counts[result_name(*refusal)].as_int64();
      recipients.push_back({{"address", address},
                            {"result", result_name(*refusal)},
                            {"reply", limited_text(refusal->reply, max_reply_bytes)}});
    }
  }
  counts["recipients"] = std::move(recipients);
  return to_json(counts);
}

// For a mail that reached at least one recipient, in this attempt or an earlier one.
void apply_refusals(const net::MailOutcome& mail, const std::vector<std::string>& recipients,
                    const MailHistory& history, AttemptResult& result) {
  const auto& refusals = mail.refused;
  if (!refusals.empty()) result.response = report(recipients, refusals);
  const auto temporary = std::ranges::find(refusals, false, &net::MailRefusal::is_final);
  const auto reported = temporary != refusals.end() ? temporary : refusals.begin();
  if (reported != refusals.end()) {
    result.status_code = reply_code(reported->reply);
    result.error = "The mail server answered for " + reported->to + ": " + reported->reply;
    result.outcome = temporary != refusals.end() ? retry(reported->reply) : never(reported->reply);
  } else if (history.refusal) {
    result.error = "The mail server had answered for another recipient: " + *history.refusal;
    result.outcome = never(*history.refusal);
  } else {
    result.outcome = Done{};
  }
}

}  // namespace

MailHistory MailHistory::read(std::string_view tries) {
  MailHistory history;
  const json::value parsed = json::parse(tries);
  for (const json::value& attempt : parsed.as_array()) {
    const auto* const response = attempt.as_object().if_contains("response");
    if (response == nullptr || !response->is_string() || !response->get_string().starts_with('{')) continue;
    const json::value report = json::parse(response->get_string());
    history.remaining.clear();
    for (const json::value& recipient : report.at("recipients").as_array()) {
      const std::string_view result = recipient.at("result").as_string();
      if (result == failed) history.remaining.emplace_back(recipient.at("address").as_string());
      if (result == refused) history.refusal = std::string(recipient.at("reply").as_string());
    }
  }
  return history;
}

AttemptResult mail_result(const net::MailOutcome& mail, const std::vector<std::string>& recipients,
                          const MailHistory& history, Time started, Time now) {
  const auto code = reply_code(mail.reply);
  AttemptResult result;
  result.started_at = started;
  result.duration = now - started;
  result.status_code = code;
  if (code) result.response = mail.reply;
  switch (mail.result) {
    case net::MailResult::sent:
      apply_refusals(mail, recipients, history, result);
      return result;
    case net::MailResult::permanent:
      result.outcome = never(mail.reply);
      break;
    case net::MailResult::temporary:
      result.outcome = retry(mail.reply);
      // 421: the server is closing (RFC 5321 section 4.2.3). Other replies concern this mail only.
      result.destination_failed = !code || *code == 421;
      break;
    case net::MailResult::not_attempted:
      result.cancelled = true;
      result.next_attempt_at = now + busy_pause;
      return result;
    case net::MailResult::limited:
      result.outcome = Retry{.code = "RATE_LIMITED", .retry_after = mail.retry_after};
      result.error = mail.reply;
      return result;
  }
  result.error = code ? "The mail server answered: " + mail.reply : mail.reply;
  return result;
}

}  // namespace waybill::actions
