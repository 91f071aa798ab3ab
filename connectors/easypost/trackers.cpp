#include "connectors/easypost/trackers.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/crypto.hpp"
#include "connectors/easypost/fields.hpp"
#include "connectors/scan_order.hpp"

namespace waybill::connectors::easypost {
namespace {

constexpr std::size_t longest_text = 300;

struct Entry {
  const json::object* detail = nullptr;
  std::string time_text;
  ScanTime time;
  PlacedScan placed = {};
};

bool tells_anything(const json::object& detail) {
  return !code_at(detail, "status").empty() || !text_at(detail, "message", longest_text).empty() ||
         !text_at(detail, "description", longest_text).empty();
}

ScanTime time_of(const std::string& text) {
  if (const auto time = parse_timestamp(text)) return {*time, TimeKnown::exact};
  if (const auto time = parse_timestamp(text + "Z")) return {*time, TimeKnown::local};
  if (const auto date = parse_date(text)) return {*date, TimeKnown::day};
  return {};
}

std::optional<Entry> entry_of(const json::value& value) {
  const auto* const detail = value.if_object();
  if (detail == nullptr) return std::nullopt;
  auto text = text_at(*detail, "datetime", 40);
  const ScanTime time = time_of(text);
  if (time.known == TimeKnown::none && !tells_anything(*detail)) return std::nullopt;
  return Entry{.detail = detail, .time_text = std::move(text), .time = time};
}

ScanTime time_in(const json::value& value) {
  const auto entry = entry_of(value);
  return entry ? entry->time : ScanTime();
}

// The newest details, oldest first, as EasyPost writes them; times count more.
std::vector<Entry> entries_of(const json::object& tracker, Time now) {
  const json::array& list = list_at(tracker, "tracking_details");
  if (list.empty()) return {};
  const auto part = newest_part(list.size(), time_in(list.front()), time_in(list.back()), false);
  std::vector<Entry> entries;
  for (std::size_t i = part.begin; i < part.end; ++i) {
    if (auto entry = entry_of(list[i])) entries.push_back(std::move(*entry));
  }
  std::vector<ScanTime> times;
  for (const Entry& entry : entries) times.push_back(entry.time);
  std::vector<Entry> ordered;
  for (const PlacedScan& placed : in_order(times, false, now)) {
    ordered.push_back(std::move(entries[placed.position]));
    ordered.back().placed = placed;
  }
  return ordered;
}

// The course of a parcel as far as it decides what later scans mean.
class Course {
 public:
  // Our status of the next scan; empty if it moves nothing.
  std::string next(std::string_view status, std::string_view detail) {
    tells_return_ = status == "return_to_sender" || detail == "return";
    returning_ = returning_ || tells_return_;
    return meaning(status, detail);
  }
  bool is_return() const { return returning_; }
  bool tells_return() const { return tells_return_; }  // the last scan

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
  bool tells_return_ = false;
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
  scan.is_return = course.is_return();
  scan.tells_return = course.tells_return();
  scan.code = code_at(detail, "carrier_code");
  scan.description = text_at(detail, "message", longest_text);
  if (scan.description.empty()) scan.description = text_at(detail, "description", longest_text);
  scan.location = place_of(detail);
  scan.external_id = identity(number, entry, scan);
  if (scan.code.empty()) scan.code = status_detail;
  scan.at = std::min(entry.placed.at, now);
  scan.has_zone = entry.time.known == TimeKnown::exact;
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
