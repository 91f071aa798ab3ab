#include "connectors/karrio/tracking.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/crypto.hpp"
#include "connectors/karrio/answers.hpp"
#include "connectors/scan_order.hpp"

namespace waybill::connectors::karrio {
namespace {

constexpr auto movements = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"picked_up", "collected"},
    {"in_transit", "in_transit"},
    {"ready_for_pickup", "in_transit"},
    {"out_for_delivery", "out_for_delivery"},
    {"delivered", "delivered"},
    {"delivery_failed", "exception"},
    {"return_to_sender", "exception"},
});

constexpr auto return_words =
    std::to_array<std::string_view>({"return to sender", "returned to sender", "returning to sender",
                                     "return to shipper", "returned to shipper", "returning to shipper"});

// Gives Karrio's statuses, oldest first, as ours.
class Course {
 public:
  std::string status(std::string_view karrio_status, const CarrierScan& scan) {
    tells_return_ = karrio_status == "return_to_sender" || tells_of_return(scan);
    is_return_ = is_return_ || tells_return_;
    if (karrio_status == "on_hold") return has_moved_ ? "exception" : "";
    if (karrio_status == "cancelled") return "cancelled";
    const auto found = std::ranges::find(movements, karrio_status, &decltype(movements)::value_type::first);
    if (found == movements.end()) return {};
    has_moved_ = true;
    return std::string(is_return_ && found->second == "delivered" ? "returned" : found->second);
  }
  bool is_return() const { return is_return_; }
  bool tells_return() const { return tells_return_; }  // the last scan

 private:
  // Some of Karrio's carriers report a return as a failed delivery, on hold or in transit. A text that only
  // mentions a return ("held, will be returned to sender on Friday") does not count.
  static bool tells_of_return(const CarrierScan& scan) {
    return std::ranges::any_of(std::array{&scan.code, &scan.description}, [](const std::string* part) {
      const auto text = replaced(ascii_lower(*part), "_", " ");
      return std::ranges::any_of(return_words,
                                 [&](std::string_view words) { return text.starts_with(words); });
    });
  }

  bool has_moved_ = false;
  bool is_return_ = false;
  bool tells_return_ = false;
};

// The time as the carrier writes it.
std::string written_time(const json::value& event) {
  const auto date = text_at(event, "date");
  if (date.empty()) return text_at(event, "timestamp");
  const auto clock = text_at(event, "time");
  return clock.empty() ? date : date + " " + clock;
}

// The end of a day, 24:00 (ISO 8601-1:2004, 4.2.3), as the beginning of the next one; nullopt for another
// time.
std::optional<ScanTime> end_of_day(std::string_view text) {
  constexpr std::string_view end = "24:00", seconds = ":00";
  constexpr std::size_t date_length = 10;
  text = trimmed(text);
  if (text.size() <= date_length || !text.substr(date_length + 1).starts_with(end)) return std::nullopt;
  const std::string day(text.substr(0, date_length));
  std::string_view zone = text.substr(date_length + 1 + end.size());
  if (zone.starts_with(seconds)) zone.remove_prefix(seconds.size());
  if (zone.starts_with(".0")) zone.remove_prefix(std::min(zone.find_first_not_of('0', 1), zone.size()));
  const auto begin = parse_timestamp(day + "T00:00" + (zone.empty() ? "Z" : std::string(zone)));
  if (!begin) return std::nullopt;
  return ScanTime{shifted(*begin, std::chrono::days(1)), zone.empty() ? TimeKnown::local : TimeKnown::exact};
}

ScanTime time_of(const json::value& event) {
  for (const auto& text : {text_at(event, "timestamp"), written_time(event)}) {
    if (const auto time = read_time(text)) return *time;
    if (const auto time = end_of_day(text)) return *time;
  }
  return read_time(text_at(event, "date")).value_or(ScanTime());
}

// A hash of what does not change when the carrier is asked again.
std::string id_of(const CarrierScan& scan, std::string_view tracking_number, std::string_view time) {
  constexpr std::size_t length = 32;
  std::string facts;
  for (const auto part : {tracking_number, time, std::string_view(scan.code), std::string_view(scan.location),
                          std::string_view(scan.description)}) {
    facts += part;
    facts += '\n';  // in none of the parts
  }
  return hex(sha256(facts)).substr(0, length);
}

CarrierScan scan_of(const json::value& event, std::string_view tracking_number) {
  constexpr std::size_t longest_description = 1000;
  CarrierScan scan;
  scan.code = text_at(event, "code");
  scan.description = text_at(event, "description", longest_description);
  if (scan.description.empty()) scan.description = text_at(event, "reason", longest_description);
  scan.location = text_at(event, "location");
  scan.has_zone = time_of(event).known == TimeKnown::exact;
  scan.external_id = id_of(scan, tracking_number, written_time(event));
  return scan;
}

struct Event {
  const json::value* value = nullptr;
  PlacedScan placed;
};

// The newest events, oldest first. Karrio gives the newest first.
std::vector<Event> ordered_events(const json::array& list, Time now) {
  if (list.empty()) return {};
  const auto part = newest_part(list.size(), time_of(list.front()), time_of(list.back()), true);
  std::vector<const json::value*> events;
  std::vector<ScanTime> times;
  for (std::size_t i = part.begin; i < part.end; ++i) {
    if (!list[i].is_object()) continue;
    events.push_back(&list[i]);
    times.push_back(time_of(list[i]));
  }
  std::vector<Event> ordered;
  for (const PlacedScan& placed : in_order(times, true, now))
    ordered.push_back({.value = events[placed.position], .placed = placed});
  return ordered;
}

}  // namespace

TrackAnswer read_tracking(const json::value& answer, std::string_view tracking_number, Time now) {
  TrackAnswer read;
  if (const auto time = read_time(text_at(answer, "tracking.estimated_delivery")))
    read.estimated_delivery = time->at;
  const auto* const list = list_at(answer, "tracking.events");
  if (list == nullptr) return read;
  const auto events = ordered_events(*list, now);
  const bool has_status = std::ranges::any_of(
      events, [](const Event& event) { return !text_at(*event.value, "status").empty(); });
  Course course;
  for (const Event& event : events) {
    auto scan = scan_of(*event.value, tracking_number);
    scan.at = event.placed.at;
    // If the carrier's events have no status, that of the parcel belongs to the newest one.
    const bool takes_parcels = !has_status && &event == &events.back();
    const auto status = takes_parcels ? text_at(answer, "tracking.status") : text_at(*event.value, "status");
    scan.status = course.status(status, scan);
    scan.is_return = course.is_return();
    scan.tells_return = course.tells_return();
    read.scans.push_back(std::move(scan));
  }
  return read;
}

}  // namespace waybill::connectors::karrio
