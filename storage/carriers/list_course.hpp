#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/carriers/scan_course.hpp"

namespace waybill::storage {

/// A stored scan of a gateway.
struct KnownScan {
  std::string external_id;
  std::string status;
  Time at{};
  bool is_move = false;
  std::optional<bool> tells_status;  // nullopt in a row of an earlier version
  std::optional<Time> read_at;       // when it was first told; nullopt there too
  bool is_closed = false;            // somebody else has moved the shipment since
};

/// A shipment before a gateway's list is read. Its base is the last move that no gateway has told.
struct ListState {
  std::string status, label_status;  // of the shipment; the latter is empty for null
  std::string base_status = "created";
  std::optional<Time> base_at;     // nullopt: nobody has moved it
  std::vector<KnownScan> known;    // in the order in which they were stored
  std::optional<Time> changed_at;  // the last move
  std::optional<Time> delivered_at;
};

/// A scan as the list tells it.
struct ListedScan {
  std::optional<std::size_t> told;   // its position in the list; nullopt: the list lacks it
  std::optional<std::size_t> known;  // its position in the state; nullopt: it is new
  std::string external_id, status;
  Time at{}, read_at{};
  bool tells_status = true;
  bool is_move = false;
};

/// A change of the shipment by one scan, or any number of new scans that change no status.
struct ListStep {
  enum class Kind : std::uint8_t {
    store,
    move,   // by a new scan
    renew,  // by a known one, whose move was missed
  } kind = Kind::store;
  std::vector<std::size_t> scans;  // positions in the plan
};

struct ListPlan {
  std::vector<ListedScan> scans;  // oldest first
  std::vector<ListStep> steps;
  bool is_course = false;  // false: only new scans are stored, and known ones stay as they are
  bool has_known = false;  // its times may differ from those that the steps set
  std::optional<Time> changed_at, delivered_at;  // of the shipment after the steps
  std::string status;
};

/// Plans how a shipment takes over a gateway's list, oldest first. However often and in whichever parts the
/// list is read, the shipment and its traces become those of one reading: a scan that is told late takes its
/// place among the known ones and moves nothing by itself; if the shipment then has another status than the
/// list gives it up to its newest known scan, it moves to that. If the state machine forbids this move, or it
/// is a cancellation of a parcel that has moved, the shipment stays, and only newer scans can move it. A scan
/// has happened when it was first told, or before. A scan that was told before the base, or is older than it,
/// moves nothing. Pure.
ListPlan plan_list(const ListState& state, std::span<const ParcelScan> list, Time now);

}  // namespace waybill::storage
