#include "connectors/easypost/trackers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/crypto.hpp"
#include "connectors/easypost/fields.hpp"

namespace waybill::connectors::easypost {
namespace {

constexpr std::size_t most_scans = 1000;
constexpr std::size_t longest_text = 300;

struct Entry {
  const json::object* detail = nullptr;
  std::string time_text;
  std::optional<Time> read_at;
  Time at;  // without a readable time, that of the answer
  bool has_zone = true;
  std::size_t position = 0;  // in the tracker
  bool is_last = false;      // of the tracker
};

bool tells_anything(const json::object& detail) {
  return !code_at(detail, "status").empty() || !text_at(detail, "message", longest_text).empty() ||
         !text_at(detail, "description", longest_text).empty();
}

std::optional<Entry> entry_of(const json::value& value, Time now) {
  const auto* const detail = value.if_object();
  if (detail == nullptr) return std::nullopt;
  Entry entry{.detail = detail, .time_text = text_at(*detail, "datetime", 40), .read_at = {}, .at = now};
  entry.read_at = parse_timestamp(entry.time_text);
  if (!entry.read_at) {
    entry.read_at = parse_timestamp(entry.time_text + "Z");
    entry.has_zone = false;
  }
  if (!entry.read_at && !tells_anything(*detail)) return std::nullopt;
  entry.at = entry.read_at.value_or(now);
  return entry;
}

// The details, oldest first. EasyPost writes them in this order; times count more.
std::vector<Entry> entries_of(const json::object& tracker, Time now) {
  std::vector<Entry> entries;
  const auto& details = list_at(tracker, "tracking_details");
  for (std::size_t i = 0; i < details.size(); ++i) {
    auto entry = entry_of(details[i], now);
    if (!entry) continue;
    entry->position = i;
    entry->is_last = i + 1 == details.size();
    entries.push_back(std::move(*entry));
  }
  std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.at, entry.position); });
  if (entries.size() > most_scans) {
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(most_scans));
  }
  return entries;
}

// The course of a parcel as far as it decides what later scans mean.
class Course {
 public:
  // Our status of the next scan; empty if it moves nothing.
  std::string next(std::string_view status, std::string_view detail) {
    if (status == "return_to_sender" || detail == "return") returning_ = true;
    return meaning(status, detail);
  }
  bool is_return() const { return returning_; }

 private:
  std::string meaning(std::string_view status, std::string_view detail) const {
    if (status == "in_transit") {
      return detail == "received_at_origin_facility" && !returning_ ? "collected" : "in_transit";
    }
    if (status == "available_for_pickup") return "in_transit";
    if (status == "out_for_delivery") return "out_for_delivery";
    if (status == "delivered") return returning_ ? "returned" : "delivered";
    if (status == "return_to_sender" || status == "failure" || status == "error") return "exception";
    if (status == "cancelled") return "cancelled";
    return {};
  }

  bool returning_ = false;
};

std::string place_of(const json::object& detail) {
  std::string place;
  for (const auto* const field :
       {"tracking_location.city", "tracking_location.state", "tracking_location.country"}) {
    const std::string part = text_at(detail, field, 80);
    if (!part.empty()) place += (place.empty() ? "" : ", ") + part;
  }
  return place;
}

// The status is left out, because EasyPost revises it.
std::string identity(const std::string& number, const Entry& entry, const CarrierScan& scan) {
  const json::array facts = {number, entry.time_text, code_at(*entry.detail, "carrier_code"), scan.location,
                             scan.description};
  return hex(sha256(to_json(facts)));
}

CarrierScan scan_of(const Entry& entry, const std::string& number, Course& course, Time now) {
  const json::object& detail = *entry.detail;
  const std::string status_detail = code_at(detail, "status_detail");
  CarrierScan scan;
  scan.status = course.next(code_at(detail, "status"), status_detail);
  // It may be older than the scans after it, and must not move the shipment back.
  if (!entry.read_at && !entry.is_last) scan.status.clear();
  scan.is_return = course.is_return();
  scan.code = code_at(detail, "carrier_code");
  scan.description = text_at(detail, "message", longest_text);
  if (scan.description.empty()) scan.description = text_at(detail, "description", longest_text);
  scan.location = place_of(detail);
  scan.external_id = identity(number, entry, scan);
  if (scan.code.empty()) scan.code = status_detail;
  scan.at = std::min(entry.at, now);
  scan.has_zone = entry.has_zone;
  return scan;
}

}  // namespace

const json::object* tracker_of(const Answer& list, std::string_view tracking_number) {
  const auto* const object = list.is_success() ? list.body.if_object() : nullptr;
  if (object == nullptr) return nullptr;
  const json::object* first = nullptr;
  for (const auto& value : list_at(*object, "trackers")) {
    const auto* const tracker = value.if_object();
    if (tracker == nullptr || number_at(*tracker, "tracking_code") != tracking_number) continue;
    if (!code_at(*tracker, "shipment_id").empty()) return tracker;
    if (first == nullptr) first = tracker;
  }
  return first;
}

const json::object* tracker_in(const Answer& answer, std::string_view tracking_number) {
  const auto* const object = answer.is_success() ? answer.body.if_object() : nullptr;
  return object != nullptr && number_at(*object, "tracking_code") == tracking_number ? object : nullptr;
}

TrackAnswer scans_in(const json::object& tracker, Time now) {
  const std::string number = number_at(tracker, "tracking_code");
  TrackAnswer answer;
  Course course;
  for (const Entry& entry : entries_of(tracker, now))
    answer.scans.push_back(scan_of(entry, number, course, now));
  answer.estimated_delivery = parse_timestamp(text_at(tracker, "est_delivery_date"));
  return answer;
}

}  // namespace waybill::connectors::easypost
