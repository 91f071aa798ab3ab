#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actions/action.hpp"
#include "actions/definition.hpp"
#include "actions/mail/mail_report.hpp"
#include "actions/mail/recipients.hpp"
#include "actions/stored_templates.hpp"
#include "base/utf8.hpp"
#include "templates/parts.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t max_text_characters = 10'000;
constexpr std::array<std::string_view, 3> inline_parts{"subject", "body", "html"};

/// Checks a mail's configuration and collects its errors.
class Checker {
 public:
  Checker(const CheckContext& context, FieldErrors& errors) : context_(context), errors_(errors) {}

  json::object check(const json::object& definition) {
    const std::size_t earlier_errors = errors_.size();
    for (const auto& member : definition) {
      constexpr std::string_view known[] = {"type",     "recipient", "cc",   "bcc", "replyTo",
                                            "template", "subject",   "body", "html"};
      if (std::ranges::find(known, std::string_view(member.key())) == std::end(known)) {
        refuse(member.key(), "unknown field");
      }
    }
    json::object checked{{"type", "send_email"},
                         {"recipient", recipient(find_value(definition, "recipient"))},
                         {"cc", copies("cc", find_value(definition, "cc"))},
                         {"bcc", copies("bcc", find_value(definition, "bcc"))},
                         {"replyTo", reply_to(find_value(definition, "replyTo"))},
                         {"template", stored(find_value(definition, "template"))}};
    for (const auto part : inline_parts) checked[part] = text(part, find_value(definition, part));
    if (template_code(definition).empty()) require_texts(definition);
    if (errors_.size() == earlier_errors) limit_addresses(checked);
    return checked;
  }

 private:
  void refuse(std::string_view field, std::string message) {
    errors_.push_back({"action." + std::string(field), std::move(message)});
  }

  json::value recipient(const json::value* value) {
    if (value == nullptr) {
      refuse("recipient", "is required");
      return nullptr;
    }
    std::ranges::move(recipient_problems(*value, "action.recipient"), std::back_inserter(errors_));
    return *value;
  }

  json::value copies(std::string_view name, const json::value* value) {
    if (value == nullptr || (value->is_string() && value->get_string().empty()) ||
        (value->is_array() && value->get_array().empty()))
      return nullptr;
    std::ranges::move(recipient_problems(*value, "action." + std::string(name)), std::back_inserter(errors_));
    return *value;
  }

  void limit_addresses(const json::object& checked) {
    std::set<std::string> addresses;
    for (const std::string_view name : {"recipient", "cc", "bcc"}) {
      if (const auto* const value = find_value(checked, name)) collect_addresses(*value, addresses);
    }
    if (addresses.size() > max_recipients)
      refuse("recipient", "must not name more than 100 addresses together with cc and bcc");
  }

  json::value reply_to(const json::value* value) {
    if (value == nullptr) return nullptr;
    if (!value->is_string()) {
      refuse("replyTo", "must be a string");
    } else if (split_addresses(value->get_string()).size() > 1) {
      refuse("replyTo", "must be one address");
    } else {
      std::ranges::move(recipient_problems(*value, "action.replyTo"), std::back_inserter(errors_));
    }
    return *value;
  }

  json::value stored(const json::value* value) {
    if (value == nullptr) return nullptr;
    const auto* const code = value->if_string();
    if (code == nullptr) {
      refuse("template", "must be a string");
      return nullptr;
    }
    if (code->empty()) return nullptr;
    if (auto problem = stored_template_problem(context_, *code, "send_email")) {
      refuse("template", std::move(*problem));
    }
    return *value;
  }

  json::value text(std::string_view part, const json::value* value) {
    if (value == nullptr) return nullptr;
    const auto* const text = value->if_string();
    if (text == nullptr) {
      refuse(part, "must be a string");
      return nullptr;
    }
    if (count_characters(*text) > max_text_characters) {
      refuse(part, "must not be longer than 10000 characters");
    } else if (auto problem = templates::mustache_problem(*text)) {
      refuse(part, std::move(*problem));
    }
    return *value;
  }

  void require_texts(const json::object& definition) {
    if (find_value(definition, "template") != nullptr && !definition.at("template").is_string()) return;
    if (find_value(definition, "subject") == nullptr) refuse("subject", "is required without a template");
    if (find_value(definition, "body") == nullptr && find_value(definition, "html") == nullptr) {
      refuse("body", "or html is required without a template");
    }
  }

  const CheckContext& context_;
  FieldErrors& errors_;
};

/// Renders one mail from the action's own texts and, for parts it lacks, its stored template.
class Composer {
 public:
  Composer(const WorkflowView& workflow, const EventView& event)
      : action_(workflow.action),
        templates_(workflow.templates),
        sender_name_(workflow.sender_name),
        reply_to_(workflow.reply_to),
        context_(template_context(workflow, event, &memory_)) {}

  Plan plan() {
    json::object request;
    std::vector<std::string> known;
    request["to"] = addresses("recipient", known);
    for (const std::string_view name : {"cc", "bcc"}) {
      if (find_value(action_, name) != nullptr) request[name] = addresses(name, known);
    }
    if (known.size() > max_recipients) throw std::length_error("the mail has more than 100 recipients");
    request["subject"] = templates::single_line(part("subject").value_or(""));
    auto body = part("body");
    if (!body) request["body"] = nullptr;
    const auto html = part("html");
    request["html"] = html ? json::value(*html) : json::value(nullptr);
    if (const auto link = unsubscribe_link()) request["listUnsubscribe"] = *link;
    if (!sender_name_.empty()) request["senderName"] = sender_name_;
    if (const std::string reply_to = reply_address(); !reply_to.empty()) request["replyTo"] = reply_to;
    return {.request = std::move(request), .body = std::move(body)};
  }

 private:
  /// Returns the valid addresses of a member that `known` lacks, and adds them to it.
  json::array addresses(std::string_view name, std::vector<std::string>& known) {
    json::array list;
    for (std::string& address : resolve_recipients(
             action_.at(name), [&](std::string_view text) { return render(text, "recipient"); })) {
      if (std::ranges::find(known, address) != known.end()) continue;
      list.emplace_back(address);
      known.push_back(std::move(address));
    }
    return list;
  }

  /// The address for replies: the action's own if it is valid, else that of the business.
  std::string reply_address() {
    const auto* const own = find_value(action_, "replyTo");
    if (own == nullptr) return std::string(reply_to_);
    auto list = resolve_recipients(*own, [&](std::string_view text) { return render(text, "recipient"); });
    return list.empty() ? std::string(reply_to_) : std::move(list.front());
  }

  std::string render(std::string_view text, std::string_view name) {
    const auto escape = templates::part_escape("send_email", name);
    return templates::render(text, context_, escape, stored_partials(templates_, escape), budget_);
  }

  std::optional<std::string> part(std::string_view name) {
    std::optional<std::string_view> text;
    if (const json::value* const own = find_value(action_, name)) {
      text = own->as_string();
    } else if (const auto code = template_code(action_); !code.empty()) {
      text = stored_part(templates_, code, name);
    }
    if (!text) return std::nullopt;
    return render(*text, name);
  }

  /// The rendered `url` of a mail template, if it is a link (RFC 2369 section 3.4).
  std::optional<std::string> unsubscribe_link() {
    auto link = templates::single_line(part("url").value_or(""));
    const bool is_link =
        link.starts_with("https://") || link.starts_with("http://") || link.starts_with("mailto:");
    const bool is_clean = std::ranges::all_of(link, [](char c) {
      return c > ' ' && c <= '~' && std::string_view("<>,\"").find(c) == std::string_view::npos;
    });
    if (!is_link || !is_clean) return std::nullopt;
    return link;
  }

  json::monotonic_resource memory_;
  const json::object& action_;
  const json::object* const templates_;
  const std::string_view sender_name_;
  const std::string_view reply_to_;
  const json::object context_;
  WorkBudget budget_{templates::max_work};
};

/// The service's address under the name of the business.
std::string sender_of(const Attempt& attempt, const Effects& effects) {
  const auto* const name = find_value(attempt.request, "senderName");
  return net::named_sender(effects.mail_from, name == nullptr ? "" : std::string_view(name->as_string()));
}

net::MailMessage message_of(const Attempt& attempt, const Effects& effects) {
  net::MailMessage message;
  message.from = sender_of(attempt, effects);
  if (const auto* const reply_to = find_value(attempt.request, "replyTo"))
    message.reply_to = reply_to->as_string();
  for (const json::value& to : attempt.request.at("to").as_array()) message.to.emplace_back(to.as_string());
  for (const auto& [name, list] : {std::pair("cc", &message.cc), std::pair("bcc", &message.bcc)}) {
    const auto* const copies = find_value(attempt.request, name);
    if (copies == nullptr) continue;
    for (const json::value& each : copies->as_array()) list->emplace_back(each.as_string());
  }
  message.subject = attempt.request.at("subject").as_string();
  message.text = attempt.body;
  if (const auto* const html = attempt.request.at("html").if_string()) message.html = *html;
  message.headers.emplace_back("Auto-Submitted", "auto-generated");  // RFC 3834 section 5
  if (const auto* const link = find_value(attempt.request, "listUnsubscribe")) {
    message.headers.emplace_back("List-Unsubscribe", "<" + std::string(link->as_string()) + ">");
  }
  message.owner = attempt.business_id.to_string();
  std::string name = attempt.run.to_string();
  if (attempt.step > 1) name += '-' + std::to_string(attempt.step);
  message.message_id = net::message_id(name, message.from);
  return message;
}

/// A mail to one or several recipients. A further attempt sends it only to those who do not have it.
class SendEmail final : public Action {
 public:
  std::string_view type() const override { return "send_email"; }
  Notification notification() const override { return Notification::email; }

  json::object check(const json::object& definition, const CheckContext& context,
                     FieldErrors& errors) const override {
    return Checker(context, errors).check(definition);
  }

  bool needs_second_format(const json::object& definition) const override {
    return std::ranges::any_of(std::array{"cc", "bcc", "replyTo"}, [&](std::string_view name) {
      return find_value(definition, name) != nullptr;
    });
  }

  std::vector<std::string> templates(const json::object& definition) const override {
    std::vector<std::string> codes;
    if (const auto code = template_code(definition); !code.empty()) codes.emplace_back(code);
    for (const auto part : inline_parts) {
      if (const auto* const text = find_value(definition, part)) add_partials(text->as_string(), codes);
    }
    for (const std::string_view name : {"recipient", "cc", "bcc", "replyTo"}) {
      const json::value* const recipient = find_value(definition, name);
      if (recipient == nullptr) continue;
      if (const auto* const text = recipient->if_string()) {
        add_partials(*text, codes);
      } else if (const auto* const list = recipient->if_array()) {
        for (const json::value& entry : *list) add_partials(entry.as_string(), codes);
      }
    }
    return codes;
  }

  Plan plan(const WorkflowView& workflow, const EventView& event) const override {
    return Composer(workflow, event).plan();
  }

  /// There is one mail server, but no business waits for the mails of another.
  std::string destination(const json::object& /*request*/, const Guid& business) const override {
    return "mail/" + business.to_string();
  }

  /// All businesses share the server, so most of a business's mails wait in the queue and delay no other.
  std::size_t max_in_flight() const override { return 8; }

  void perform(const Attempt& attempt, Effects& effects, Finish finish) const override {
    const Time started = effects.clock.now();
    auto message = message_of(attempt, effects);
    if (message.to.empty()) {
      AttemptResult result;
      result.outcome = Dead{"NO_RECIPIENT"};
      result.started_at = started;
      result.error = "None of the recipients is a valid mail address.";
      return finish(std::move(result));
    }
    auto history = MailHistory::read(attempt.tries);
    message.remaining = history.remaining;
    auto recipients = message.recipients();
    effects.mailer.send(
        std::move(message),
        [finish = std::move(finish), started, &clock = effects.clock, &mailer = effects.mailer,
         history = std::move(history), recipients = std::move(recipients)](const net::MailOutcome& mail) {
          AttemptResult result = mail_result(mail, recipients, history, started, clock.now());
          // The stop may be the reason; then the attempt does not count.
          if (mail.result == net::MailResult::temporary && mailer.is_stopping()) result.cancelled = true;
          finish(std::move(result));
        });
  }
};

}  // namespace

const Action& send_email_action() {
  static const SendEmail action;
  return action;
}

}  // namespace waybill::actions
