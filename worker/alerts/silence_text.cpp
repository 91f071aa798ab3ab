#include "worker/alerts/silence_text.hpp"

#include <string_view>

namespace waybill::worker {
namespace {

using Values = matching::FailingCondition::Values;

json::object values_json(const Values& values) {
  json::array list;
  for (const Values::Value& value : values.values)
    list.push_back(json::object{{"value", value.text}, {"count", value.count}});
  return {{"events", values.events}, {"values", std::move(list)}};
}

/// A number or text at a path of members; empty if there is none.
std::string text_at(const json::value& silence, std::string_view path) {
  const json::value* const value = silence.is_object() ? find_path(silence.get_object(), path) : nullptr;
  if (value == nullptr || value->is_null()) return {};
  return value->is_string() ? std::string(value->get_string()) : to_json(*value);
}

/// "30 to 52".
std::string range_at(const json::value& silence, const std::string& path) {
  return text_at(silence, path + ".from") + " to " + text_at(silence, path + ".to");
}

/// `"DHL" (38 of 40), "UPS" (2 of 40)`.
std::string values_text(const json::value& silence, const std::string& path) {
  std::string text;
  const json::value* const values = find_path(silence.get_object(), path + ".values");
  if (values == nullptr || !values->is_array()) return text;
  for (const json::value& value : values->get_array()) {
    text.append(text.empty() ? "" : ", ").append(text_at(value, "value")).append(" (");
    text.append(text_at(value, "count"))
        .append(" of ")
        .append(text_at(silence, path + ".events"))
        .append(")");
  }
  return text;
}

std::string events_text(const json::value& silence) {
  const std::string count = text_at(silence, "events.count");
  if (count.empty()) return {};
  return "\nIn this time " + (count == "0" ? "no" : count) + " events of the type " +
         text_at(silence, "events.entityType") + " came; " + range_at(silence, "events.expected") +
         " came in the same hours of the weeks before.";
}

std::string sources_text(const json::value& silence) {
  std::string text;
  const json::value* const sources = find_member(silence, "sources");
  if (sources == nullptr || !sources->is_array()) return text;
  for (const json::value& source : sources->get_array()) {
    text += text_at(source, "cause") == "import_silent" ? "\nThe import from " : "\nThe scans of ";
    text += text_at(source, "name") + (text_at(source, "cause") == "import_silent" ? " is" : " are");
    text += " silent since " + text_at(source, "since") + ".";
  }
  return text;
}

std::string condition_text(const json::value& silence) {
  if (text_at(silence, "condition").empty()) return {};
  std::string text = "\nThe condition " + text_at(silence, "condition.path") + " " +
                     text_at(silence, "condition.operator") + " " + text_at(silence, "condition.expected") +
                     " fails more often than before: for " + text_at(silence, "condition.failed") + " of " +
                     text_at(silence, "condition.evaluated") + " events since then.";
  if (const std::string before = values_text(silence, "condition.before"); !before.empty())
    text += "\nBefore, in events for which the workflow fired: " + before;
  if (const std::string now = values_text(silence, "condition.now"); !now.empty())
    text += "\nNow, in events for which it fails: " + now;
  return text;
}

/// The part of the first sentence between the time and the number, and that after the number.
struct Words {
  std::string_view before, after, over;
};

Words words_of(std::string_view cause) {
  if (cause == "workflow_silent") return {" it has fired ", " times", "It fires again as usual."};
  if (cause == "import_silent")
    return {" it has brought ", " new or changed orders, though imports run without an error",
            "It brings orders again as usual."};
  return {" ", " scans have come", "Scans come again as usual."};
}

}  // namespace

json::value condition_json(const std::optional<matching::FailingCondition>& condition) {
  if (!condition) return nullptr;
  return json::object{{"path", condition->path},           {"operator", condition->op},
                      {"expected", condition->expected},   {"failed", condition->failed},
                      {"evaluated", condition->evaluated}, {"before", values_json(condition->before)},
                      {"now", values_json(condition->now)}};
}

std::string silence_headline(const Alert& alert) {
  if (alert.cause == "import_silent") return "The import from " + alert.store + " is silent";
  if (alert.cause == "scans_silent")
    return alert.carrier_name ? "The scans of the carrier \"" + *alert.carrier_name + "\" are silent"
                              : "The scans of parcels without a carrier are silent";
  return "The workflow \"" + alert.workflow_name.value_or("") + "\" is silent";
}

std::string silence_text(const Alert& alert) {
  const Words words = words_of(alert.cause);
  const json::value& silence = alert.silence;
  if (!silence.is_object()) return std::string(words.over);
  std::string text = "Since " + text_at(silence, "since");
  text.append(words.before).append(text_at(silence, "count")).append(words.after);
  text += "; " + range_at(silence, "expected") + (alert.cause == "workflow_silent" ? " times" : "") +
          " are usual by the same weekdays and hours of the last 8 weeks.";
  return text + events_text(silence) + sources_text(silence) + condition_text(silence);
}

}  // namespace waybill::worker
