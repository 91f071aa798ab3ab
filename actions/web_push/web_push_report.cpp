#include "actions/web_push/web_push_report.hpp"

#include <algorithm>
#include <array>

namespace waybill::actions {
namespace {

constexpr std::array<std::string_view, 5> names{"delivered", "gone", "refused", "failed", "waiting"};

std::string_view name(PushResult result) { return names[static_cast<std::size_t>(result)]; }

bool is_unfinished(PushResult result) {
  return result == PushResult::failed || result == PushResult::waiting;
}

// The subscriptions in an attempt's report; null if the attempt has no report.
const json::array* subscriptions(const json::value& report) {
  const auto* object = report.if_object();
  const auto* entries = object == nullptr ? nullptr : object->if_contains("subscriptions");
  return entries == nullptr ? nullptr : entries->if_array();
}

void read_report(const json::array& entries, PushHistory& history) {
  std::vector<Guid> remaining;
  for (const json::value& entry : entries) {
    const std::string_view result = entry.at("result").as_string();
    if (result == name(PushResult::delivered)) {
      history.delivered = true;
    } else if (result == name(PushResult::refused)) {
      history.refusal = std::string(entry.at("code").as_string());
    } else if (result != name(PushResult::gone)) {
      remaining.push_back(Guid::parse(entry.at("guid").as_string()).value());
    }
  }
  history.remaining = std::move(remaining);
}

const PushEntry* first_with(std::span<const PushEntry> entries, PushResult result) {
  const auto found = std::ranges::find(entries, result, &PushEntry::result);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

PushHistory PushHistory::read(std::string_view tries) {
  PushHistory history;
  const json::value parsed = json::parse(tries);
  for (const json::value& attempt : parsed.as_array()) {
    const auto* response = attempt.as_object().if_contains("response");
    if (response == nullptr || !response->is_string()) continue;  // its worker crashed
    const json::value report = json::parse(response->get_string());
    if (const auto* entries = subscriptions(report)) read_report(*entries, history);
  }
  return history;
}

std::string push_report(std::span<const PushEntry> entries) {
  std::array<std::size_t, names.size()> counts{};
  for (const PushEntry& entry : entries) ++counts[static_cast<std::size_t>(entry.result)];
  std::string out = "{";
  for (std::size_t i = 0; i < names.size(); ++i) {
    append_json_string(out, names[i]);
    out += ':' + std::to_string(counts[i]) + ',';
  }
  out += R"("subscriptions":[)";
  for (const PushEntry& entry : entries) {
    if (out.back() == '}') out += ',';
    out.append(R"({"guid":")").append(entry.subscription.to_string());
    out.append(R"(","result":")").append(name(entry.result)).append(R"(","statusCode":)");
    out += entry.status_code ? std::to_string(*entry.status_code) : "null";
    if (!entry.code.empty()) {
      out += R"(,"code":)";
      append_json_string(out, entry.code);
    }
    out += '}';
  }
  return out + "]}";
}

Outcome push_outcome(std::span<const PushEntry> entries, const PushHistory& history) {
  const PushEntry* unfinished = first_with(entries, PushResult::failed);
  if (unfinished == nullptr) unfinished = first_with(entries, PushResult::waiting);
  if (unfinished != nullptr) {
    Retry retry{unfinished->code};
    // All are attempted again at the same time, so the longest requested delay applies.
    for (const PushEntry& entry : entries) {
      if (is_unfinished(entry.result) && entry.retry_after > retry.retry_after)
        retry.retry_after = entry.retry_after;
    }
    return retry;
  }
  if (history.delivered || first_with(entries, PushResult::delivered) != nullptr) return Done{};
  if (const PushEntry* refused = first_with(entries, PushResult::refused)) return Dead{refused->code};
  if (history.refusal) return Dead{*history.refusal};
  return Skip{"NO_SUBSCRIPTION"};
}

}  // namespace waybill::actions
