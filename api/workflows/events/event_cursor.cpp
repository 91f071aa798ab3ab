#include "api/workflows/events/event_cursor.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "base/number.hpp"

namespace waybill::api {
namespace {

// Marks the time among the transactions in a cursor's text. No transaction has this id, so earlier versions
// of waybill read the time as a transaction without events.
constexpr std::uint64_t xid_of_time = 0;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::uint64_t xid_of(std::string_view text) {
  const auto xid = parse_number<std::uint64_t>(text);
  if (!xid) throw std::invalid_argument("not a transaction id");
  return *xid;
}

}  // namespace

FeedSnapshot FeedSnapshot::parse(std::string_view snapshot, std::string_view drawn) {
  const auto parts = split(snapshot, ':');
  if (parts.size() != 3) throw std::invalid_argument("not a snapshot");
  FeedSnapshot result{.xmax = xid_of(parts[1]), .running = {}, .drawn = xid_of(drawn)};
  if (parts[2].empty()) return result;
  for (const auto part : split(parts[2], ',')) result.running.push_back(xid_of(part));
  return result;
}

bool FeedSnapshot::is_over(std::uint64_t xid) const {
  return xid > drawn || (xid < xmax && !std::ranges::binary_search(running, xid));
}

std::optional<EventCursor> EventCursor::parse(std::string_view text) {
  EventCursor cursor;
  const auto parts = split(text, ',');
  const auto position = parse_number<std::int64_t>(parts.front());
  if (!position || *position < 0 || parts.size() % 2 == 0) return std::nullopt;
  cursor.position_ = *position;
  for (std::size_t i = 1; i < parts.size(); i += 2) {
    const auto xid = parse_number<std::uint64_t>(parts[i]);
    const auto low = parse_number<std::int64_t>(parts[i + 1]);
    if (!xid || !low) return std::nullopt;
    if (*xid == xid_of_time) {
      cursor.at_ = Time(Duration(*low));
      continue;
    }
    cursor.owed_.push_back({*xid, *low});
  }
  return cursor;
}

std::string EventCursor::text() const {
  std::string text = std::to_string(position_);
  if (at_) text.append(",0,").append(std::to_string(at_->time_since_epoch().count()));
  for (const Owed& owed : owed_)
    text.append(",").append(std::to_string(owed.xid)).append(",").append(std::to_string(owed.low));
  return text;
}

std::vector<EventCursor::Owed> EventCursor::due(const FeedSnapshot& snapshot) const {
  std::vector<Owed> due;
  std::ranges::copy_if(owed_, std::back_inserter(due),
                       [&](const Owed& owed) { return snapshot.is_over(owed.xid); });
  return due;
}

void EventCursor::rewind(std::int64_t position) {
  position_ = position;
  at_.reset();
}

void EventCursor::advance(const FeedSnapshot& snapshot, const std::vector<Passed>& events, bool complete) {
  const std::int64_t passed = position_;
  const std::int64_t last = events.empty() ? 0 : events.back().id;
  if (complete || last > passed) {
    std::erase_if(owed_, [&](const Owed& owed) { return snapshot.is_over(owed.xid); });
  } else {
    for (Owed& owed : owed_) {
      if (snapshot.is_over(owed.xid)) owed.low = std::max(owed.low, last);
    }
  }
  if (last <= passed) return;
  position_ = last;
  at_ = events.back().at;
  const auto add = [&](std::uint64_t xid) {
    if (std::ranges::find(owed_, xid, &Owed::xid) == owed_.end()) owed_.push_back({xid, passed});
  };
  for (const std::uint64_t xid : snapshot.running) add(xid);
  for (std::uint64_t xid = snapshot.xmax; xid < snapshot.drawn; ++xid) add(xid);
}

}  // namespace waybill::api
