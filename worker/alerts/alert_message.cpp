#include "worker/alerts/alert_message.hpp"

#include <utility>

#include "worker/alerts/label_text.hpp"
#include "worker/alerts/silence_text.hpp"

namespace waybill::worker {
namespace {

/// The last attempt of a run; empty if it has none.
json::object last_attempt(const Alert& alert) {
  if (!alert.tries) return {};
  auto parsed = parse_json(*alert.tries);
  const auto* const value = std::get_if<json::value>(&parsed);
  const auto* const tries = value == nullptr ? nullptr : value->if_array();
  if (tries == nullptr || tries->empty() || !tries->back().is_object()) return {};
  return tries->back().get_object();
}

json::value member(const json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  return value == nullptr ? json::value(nullptr) : *value;
}

json::value run_of(const Alert& alert) {
  json::value run = alert.run;
  if (alert.is_of_import() || !run.is_object()) return run;
  run.get_object()["statusCode"] = member(last_attempt(alert), "statusCode");
  return run;
}

/// The answer of the destination; for an import, the reason of its failure.
json::value response_of(const Alert& alert) {
  if (!alert.is_of_import()) return member(last_attempt(alert), "response");
  return alert.run.is_object() ? member(alert.run.get_object(), "error") : json::value(nullptr);
}

json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

json::value workflow_of(const Alert& alert) {
  if (alert.is_of_import() || alert.is_of_source() || alert.is_of_label()) return nullptr;
  return json::object{{"guid", alert.subject_id.to_string()},
                      {"name", text_or_null(alert.workflow_name)},
                      {"pausedReason", text_or_null(alert.paused_reason)}};
}

/// Null for parcels and labels without a carrier.
json::value carrier_of(const Alert& alert) {
  if (alert.subject_id.is_nil()) return nullptr;
  return json::object{{"guid", alert.subject_id.to_string()}, {"name", text_or_null(alert.carrier_name)}};
}

json::value replay_of(const Alert& alert, std::string_view public_url) {
  const auto request = [&](const std::string& path, json::value body) {
    return json::object{
        {"method", "POST"}, {"url", std::string(public_url) + path}, {"body", std::move(body)}};
  };
  const std::string subject = alert.subject_id.to_string();
  if (alert.is_of_import() || alert.cause == "import_silent")
    return request("/api/integrations/" + subject + "/sync", nullptr);
  if (alert.cause == "workflow_paused")
    return request("/api/workflows/resume-workflow?workflowId=" + subject, nullptr);
  if (alert.cause != "run_dead") return nullptr;  // the runs are attempted again on their own
  if (alert.count == 1 && alert.run.is_object()) {
    const json::value guid = member(alert.run.get_object(), "guid");
    if (guid.is_string())
      return request("/api/workflows/runs/" + std::string(guid.get_string()) + "/replay", nullptr);
  }
  if (!alert.failed_from || !alert.failed_to) return nullptr;
  return request("/api/workflows/replay", json::object{{"workflowId", subject},
                                                       {"from", format_timestamp(*alert.failed_from)},
                                                       {"to", format_timestamp(*alert.failed_to)},
                                                       {"status", "dead"}});
}

std::string quoted(const std::optional<std::string>& name) { return '"' + name.value_or("") + '"'; }

/// A member that is a text or a number; empty if it is neither.
std::string member_text(const json::value& object, std::string_view name) {
  const json::value value = object.is_object() ? member(object.get_object(), name) : json::value(nullptr);
  if (value.is_number()) return to_json(value);
  return value.is_string() ? std::string(value.get_string()) : std::string();
}

/// The text with a full stop at its end.
std::string sentence(std::string text) {
  if (!text.ends_with('.')) text += '.';
  return text;
}

/// The alert as a sentence without its full stop.
std::string headline(const Alert& alert) {
  const bool is_single = alert.count == 1;
  const std::string number = std::to_string(alert.count);
  const std::string workflow = "the workflow " + quoted(alert.workflow_name);
  if (alert.cause == "workflow_paused") return "The workflow " + quoted(alert.workflow_name) + " was paused";
  if (alert.is_of_import())
    return (is_single ? "An import" : number + " imports") + " from " + alert.store + " failed";
  if (alert.is_of_silence()) return silence_headline(alert);
  if (alert.is_of_label()) return label_headline(alert);
  if (alert.cause == "destination_down")
    return "The destination " + member_text(alert.run, "destination") + " of " + workflow + " is down";
  return (is_single ? "A run" : number + " runs") + " of " + workflow + " failed";
}

std::string explanation(const Alert& alert, std::string_view public_url) {
  if (alert.cause == "workflow_paused")
    return (alert.paused_reason ? "The reason: " + sentence(*alert.paused_reason) + "\n" : "") +
           "Events still match the workflow, and its runs are held until it is resumed.";
  if (alert.is_of_import()) return "The store or an order caused the failure. Imports are repeated.";
  if (alert.is_of_silence()) return silence_text(alert);
  if (alert.is_of_label()) return label_text(alert, public_url);
  if (alert.cause == "destination_down")
    return "Several attempts in a row failed. The runs are attempted again on their schedule.";
  return "No further attempts are made.";
}

void append_line(std::string& text, std::string_view name, const std::string& value) {
  if (!value.empty()) text.append(name).append(": ").append(value).append("\n");
}

/// The facts of the last run or purchase, one per line.
std::string facts(const Alert& alert) {
  if (alert.is_of_label()) return label_facts(alert);
  std::string text;
  const json::value run = run_of(alert);
  append_line(text, "Run", member_text(run, "guid"));
  const std::string type = member_text(run, "entityType");
  append_line(text, "Record", type.empty() ? "" : type + " " + member_text(run, "entityId"));
  constexpr std::pair<std::string_view, std::string_view> lines[] = {
      {"Created", "createdAt"},   {"Started", "startedAt"},
      {"Finished", "finishedAt"}, {"Imported", "imported"},
      {"Updated", "updated"},     {"Failed", "failed"},
      {"Status", "status"},       {"Destination", "destination"},
      {"Attempts", "attempts"},   {"Status code", "statusCode"},
      {"Code", "code"},           {"Error", "error"}};
  for (const auto& [name, field] : lines) append_line(text, name, member_text(run, field));
  const json::value response = response_of(alert);
  if (response.is_string() && !alert.is_of_import())
    append_line(text, "Response", std::string(response.get_string()));
  return text;
}

std::string_view invitation(const Alert& alert) {
  if (alert.cause == "workflow_paused") return "To resume the workflow, call";
  if (alert.is_of_import() || alert.cause == "import_silent") return "To import now, call";
  return "To replay what failed, call";
}

}  // namespace

std::string alert_payload(const Alert& alert, std::string_view public_url) {
  json::object data{{"cause", alert.cause}, {"workflow", workflow_of(alert)},
                    {"run", run_of(alert)}, {"response", response_of(alert)},
                    {"count", alert.count}, {"replay", replay_of(alert, public_url)}};
  if (alert.is_of_silence()) data["silence"] = alert.silence;
  if (alert.cause == "import_silent")
    data["integration"] = {{"guid", alert.subject_id.to_string()}, {"store", alert.store}};
  if (alert.cause == "scans_silent" || alert.is_of_label()) data["carrier"] = carrier_of(alert);
  if (alert.is_of_label()) data["purchase"] = alert.purchase;
  return to_json(
      json::object{{"type", "alert"}, {"timestamp", format_timestamp(alert.at)}, {"data", std::move(data)}});
}

net::MailMessage alert_mail(const Alert& alert, std::string_view public_url) {
  std::string text = headline(alert) + ".\n" + explanation(alert, public_url) + "\n";
  if (const std::string last = facts(alert); !last.empty())
    text += (alert.count == 1 ? "\n" : "\nThe last of them:\n") + last;
  if (const json::value replay = replay_of(alert, public_url); replay.is_object()) {
    text.append("\n").append(invitation(alert)).append("\n\nPOST ");
    text += replay.at("url").as_string();
    if (const json::value& body = replay.at("body"); body.is_object()) text += "\n" + to_json(body);
    text += "\n";
  }
  text += "\n" +
          label_reason(alert).value_or("This address is among those that " + alert.business_name +
                                       " has chosen for alerts. PUT /api/business/alerts changes them.") +
          "\n";
  return {.subject = headline(alert),
          .text = std::move(text),
          .headers = {{"Auto-Submitted", "auto-generated"}}};  // RFC 3834 section 5
}

}  // namespace waybill::worker
