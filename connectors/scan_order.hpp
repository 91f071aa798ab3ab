#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"

namespace waybill::connectors {

/// The exactness of the time of a scan, in ascending order.
enum class TimeKnown : std::uint8_t {
  none,   // it is missing or cannot be read
  day,    // a date without a time, taken as midnight UTC
  local,  // a time without a zone, taken as UTC
  exact,
};

struct ScanTime {
  Time at{};  // of no meaning if nothing is known
  TimeKnown known = TimeKnown::none;

  bool operator==(const ScanTime&) const = default;
};

struct PlacedScan {
  std::size_t position = 0;  // in the list
  Time at{};
};

/// The most scans of a gateway's list that are read: the newest ones.
inline constexpr std::size_t most_scans = 1000;

/// A part of a list: the positions from `begin` to the one before `end`.
struct ListPart {
  std::size_t begin = 0, end = 0;

  bool operator==(const ListPart&) const = default;
};

/// The part of a gateway's list of `size` scans that has the newest ones, at most `most_scans`. The times of
/// the first and the last scan tell the order of the list; otherwise it is the usual one, `newest_first`. A
/// connector reads no scan outside it. Pure.
ListPart newest_part(std::size_t size, const ScanTime& first, const ScanTime& last, bool newest_first);

/// The scans of a gateway's list, at most `most_scans`, oldest first. Exact times decide. Zones differ by
/// hours, so that a time without one, or a day, moves between its neighbours in the list if these are more
/// exact, as far as a zone can explain it. A scan without a time has that of the one before it in the list;
/// the newest one has `now`. A time that is later than `now` in every zone counts as none. `newest_first` is
/// the usual order of the list; its times can show the other one. Pure.
std::vector<PlacedScan> in_order(std::span<const ScanTime> list, bool newest_first, Time now);

}  // namespace waybill::connectors
