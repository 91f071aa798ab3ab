#include "connectors/scan_order.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace waybill::connectors {
namespace {

using namespace std::chrono_literals;

// Zones are between UTC-12 and UTC+14.
constexpr Duration most_behind = 12h, most_ahead = 14h, whole_day = 24h;

/// Places the scans of a list by its order, the most exact ones first.
class Placing {
 public:
  Placing(std::span<const ScanTime> list, bool newest_first, Time now) : now_(now) {
    for (std::size_t position = 0; position < list.size(); ++position)
      scans_.push_back({.time = believed(list[position]), .position = position, .at = list[position].at});
    if (is_newest_first(newest_first)) std::ranges::reverse(scans_);
    for (std::size_t rank = 0; rank < scans_.size(); ++rank) scans_[rank].rank = rank;
  }

  std::vector<PlacedScan> placed() {
    for (const TimeKnown known : {TimeKnown::local, TimeKnown::day, TimeKnown::none})
      for (std::size_t i = 0; i < scans_.size(); ++i)
        if (scans_[i].time.known == known) place(i);
    std::ranges::sort(scans_, {}, [](const Scan& scan) { return std::pair(scan.at, scan.rank); });
    std::vector<PlacedScan> result;
    result.reserve(scans_.size());
    for (const Scan& scan : scans_) result.push_back({.position = scan.position, .at = scan.at});
    return result;
  }

 private:
  struct Scan {
    ScanTime time;
    std::size_t position = 0;  // in the list
    std::size_t rank = 0;      // by the order of the list, the oldest first
    Time at{};
  };

  // A scan that is told has happened.
  ScanTime believed(ScanTime time) const {
    const Duration ahead = time.known == TimeKnown::exact ? Duration::zero() : most_ahead;
    if (time.at - ahead > now_) time.known = TimeKnown::none;
    return time;
  }

  // The first and the last scan of the most exact kind that has different times tell it.
  bool is_newest_first(bool usual) const {
    for (const TimeKnown known : {TimeKnown::exact, TimeKnown::local, TimeKnown::day}) {
      std::optional<Time> first, last;
      for (const Scan& scan : scans_) {
        if (scan.time.known != known) continue;
        if (!first) first = scan.at;
        last = scan.at;
      }
      if (first != last) return *first > *last;
    }
    return usual;
  }

  std::optional<Time> older_than(std::size_t index) const {
    for (std::size_t i = index; i-- > 0;)
      if (scans_[i].time.known > scans_[index].time.known) return scans_[i].at;
    return std::nullopt;
  }
  std::optional<Time> newer_than(std::size_t index) const {
    for (std::size_t i = index + 1; i < scans_.size(); ++i)
      if (scans_[i].time.known > scans_[index].time.known) return scans_[i].at;
    return std::nullopt;
  }

  void place(std::size_t index) {
    Scan& scan = scans_[index];
    const auto older = older_than(index), newer = newer_than(index);
    if (scan.time.known == TimeKnown::none) {
      const bool is_newest = index + 1 == scans_.size();
      scan.at = is_newest ? now_ : older.value_or(newer.value_or(now_));
      return;
    }
    if (older && newer && *older > *newer) return;  // the list has no order
    Time at = scan.at;
    if (newer) at = std::min(at, *newer);
    if (older) at = std::max(at, *older);
    const Duration latest = scan.time.known == TimeKnown::day ? most_behind + whole_day : most_behind;
    if (at >= scan.at - most_ahead && at <= scan.at + latest) scan.at = at;
  }

  const Time now_;
  std::vector<Scan> scans_;  // by rank
};

}  // namespace

ListPart newest_part(std::size_t size, const ScanTime& first, const ScanTime& last, bool newest_first) {
  const std::size_t kept = std::min(size, most_scans);
  const bool are_known = first.known != TimeKnown::none && last.known != TimeKnown::none;
  if (are_known && first.at != last.at) newest_first = first.at > last.at;
  return newest_first ? ListPart{0, kept} : ListPart{size - kept, size};
}

std::vector<PlacedScan> in_order(std::span<const ScanTime> list, bool newest_first, Time now) {
  return Placing(list, newest_first, now).placed();
}

}  // namespace waybill::connectors
