#include "api/scans/scans.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "api/endpoint/clock_tolerance.hpp"
#include "api/records/fields.hpp"
#include "domain/records/state_machines.hpp"
#include "storage/sql/scans.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::scans;
using Text = std::optional<std::string>;

const Property scan_properties[] = {
    {.name = "status", .kind = Kind::one_of, .required = true, .values = domain::shipment_states().states},
    {.name = "description", .kind = Kind::text, .required = true},
    {.name = "location", .kind = Kind::string},
    {.name = "timestamp", .kind = Kind::timestamp, .description = "Default: now."},
    {.name = "externalId",
     .kind = Kind::string,
     .min_length = 1,
     .description =
         "The sender's id for the scan. A scan that repeats an id for the same shipment is ignored."},
    {.name = "trackingNumber",
     .kind = Kind::tracking_number,
     .min_length = 1,
     .description = "Our number or the carrier's, without regard to case. Either this or shipmentId."},
    {.name = "shipmentId", .kind = Kind::uuid},
};
constexpr std::size_t trace_properties = 5;

constexpr Property result_properties[] = {
    {.name = "index", .kind = Kind::integer, .nullable = false, .description = "The position, from 0."},
    {.name = "moved",
     .kind = Kind::boolean,
     .nullable = false,
     .optional = true,
     .description = "True if the shipment has the status of the scan now. Missing if there is an error."},
    {.name = "error", .kind = Kind::string, .nullable = false, .optional = true},
};

/// A scan of a locked shipment.
struct Found {
  std::size_t scan = 0;  // its position among all scans
  Guid shipment;
  std::string status;    // of the shipment
  std::string reported;  // by the scan; `exception` if it cancels a shipment that its label locks
  Time at = {};
  bool is_known = false;
  std::optional<Time> moved_at = {};  // the last move of the shipment
};

/// Scans of one shipment that are stored by one statement: one move, or any number of others.
struct ScanGroup {
  bool is_move = false;
  std::vector<const Found*> scans = {};
};

/// A shipment while its scans are judged, in their order.
struct Progress {
  std::string status;
  std::optional<Time> moved_at;
  std::set<std::string_view> external_ids = {};
  std::vector<ScanGroup> groups = {};

  ScanOutcome add(const Scan& scan, const Found& found) {
    if (scan.external_id && (found.is_known || !external_ids.insert(*scan.external_id).second)) {
      return ScanOutcome::repeated;
    }
    const bool is_move =
        domain::shipment_states().allows(status, found.reported) && (!moved_at || found.at >= *moved_at);
    if (is_move) {
      status = found.reported;
      moved_at = found.at;
    }
    if (is_move || groups.empty() || groups.back().is_move) groups.push_back({.is_move = is_move});
    groups.back().scans.push_back(&found);
    return is_move ? ScanOutcome::moved : ScanOutcome::stored;
  }
};

/// The parameters of a statement that stores scans.
struct ScanColumns {
  std::vector<Guid> shipments;
  std::vector<std::string> statuses, times, descriptions;
  std::vector<Text> locations, external_ids;

  void add(const Scan& scan, const Found& found) {
    shipments.push_back(found.shipment);
    statuses.push_back(found.reported);
    times.push_back(format_sql_timestamp(found.at));
    descriptions.push_back(scan.description);
    locations.push_back(scan.location);
    external_ids.push_back(scan.external_id);
  }

  template <typename Statement>
  Statement statement(const Guid& business) const {
    return {.business = business,
            .shipments = shipments,
            .statuses = statuses,
            .times = times,
            .descriptions = descriptions,
            .locations = locations,
            .external_ids = external_ids};
  }
};

/// Judges and stores the scans of one call.
class ScanWriter {
 public:
  ScanWriter(storage::Transaction& transaction, const Guid& business, std::span<const Scan> scans,
             const ScanRules& rules)
      : transaction_(transaction), business_(business), scans_(scans), rules_(rules) {
    const auto is_ahead = [&](const Scan& scan) { return scan.at && *scan.at > rules.now + clock_tolerance; };
    for (const Scan& scan : scans)
      outcomes_.push_back(is_ahead(scan) ? ScanOutcome::future : ScanOutcome::unknown);
  }

  asio::awaitable<std::vector<ScanOutcome>> write() {
    co_await lock();
    if (found_.empty()) co_return std::move(outcomes_);
    co_await read_facts();
    std::map<Guid, Progress> shipments;
    for (const Found& found : found_) {
      const auto [entry, is_new] =
          shipments.try_emplace(found.shipment, Progress{.status = found.status, .moved_at = found.moved_at});
      outcomes_[found.scan] = entry->second.add(scans_[found.scan], found);
    }
    for (std::size_t group = 0; co_await store(shipments, group); ++group) {
    }
    co_return std::move(outcomes_);
  }

 private:
  /// Locks the shipments and fills `found_`.
  asio::awaitable<void> lock() {
    std::vector<Text> numbers;
    std::vector<std::optional<Guid>> guids;
    for (std::size_t scan = 0; scan < scans_.size(); ++scan) {
      const bool is_valid = outcomes_[scan] != ScanOutcome::future;
      numbers.push_back(is_valid ? scans_[scan].number : std::nullopt);
      guids.push_back(is_valid ? scans_[scan].shipment : std::nullopt);
    }
    const auto rows =
        co_await transaction_.run(sql::Lock{.business = business_, .numbers = numbers, .shipments = guids});
    for (const auto& row : rows) {
      const auto scan = static_cast<std::size_t>(row.scan - 1);
      auto& outcome = outcomes_[scan];
      if (rules_.carrier && row.carrier != rules_.carrier) {
        if (outcome == ScanOutcome::unknown) outcome = ScanOutcome::foreign;
      } else if (!found_.empty() && found_.back().scan == scan) {
        outcome = ScanOutcome::ambiguous;
      } else {
        outcome = ScanOutcome::stored;
        const std::string& reported = scans_[scan].status;
        found_.push_back(
            {.scan = scan,
             .shipment = row.shipment,
             .status = std::string(row.status),
             .reported = row.is_label_locked && reported == "cancelled" ? "exception" : reported});
      }
    }
    std::erase_if(found_, [&](const Found& found) { return outcomes_[found.scan] != ScanOutcome::stored; });
  }

  asio::awaitable<void> read_facts() {
    std::vector<Guid> shipments;
    std::vector<Text> external_ids;
    for (const Found& found : found_) {
      shipments.push_back(found.shipment);
      external_ids.push_back(scans_[found.scan].external_id);
    }
    const auto rows = co_await transaction_.run(
        sql::Facts{.business = business_, .shipments = shipments, .external_ids = external_ids});
    auto found = found_.begin();
    for (const auto& row : rows) {
      // Stored times have milliseconds.
      found->at = std::chrono::round<std::chrono::milliseconds>(scans_[found->scan].at.value_or(row.now));
      found->is_known = row.is_known;
      found->moved_at = row.moved_at;
      ++found;
    }
  }

  /// Stores one group of each shipment. False if no shipment has this group.
  asio::awaitable<bool> store(const std::map<Guid, Progress>& shipments, std::size_t group) {
    ScanColumns moves, others;
    for (const auto& [guid, progress] : shipments) {
      if (group >= progress.groups.size()) continue;
      auto& batch = progress.groups[group].is_move ? moves : others;
      for (const Found* const found : progress.groups[group].scans) batch.add(scans_[found->scan], *found);
    }
    if (!moves.shipments.empty()) co_await transaction_.run(moves.statement<sql::Move>(business_));
    if (!others.shipments.empty()) co_await transaction_.run(others.statement<sql::Store>(business_));
    co_return !moves.shipments.empty() || !others.shipments.empty();
  }

  storage::Transaction& transaction_;
  const Guid business_;
  const std::span<const Scan> scans_;
  const ScanRules rules_;
  std::vector<ScanOutcome> outcomes_;
  std::vector<Found> found_;
};

std::string_view error_of(ScanOutcome outcome) {
  switch (outcome) {
    case ScanOutcome::unknown:
      return "there is no such shipment";
    case ScanOutcome::ambiguous:
      return "several shipments have this number; use shipmentId";
    case ScanOutcome::foreign:
      return "the shipment has another carrier";
    case ScanOutcome::future:
      return "the timestamp is more than 5 minutes in the future";
    default:
      return {};
  }
}

}  // namespace

const Schema scan_schema{"ShipmentScan", scan_properties};
const Schema trace_schema{"ShipmentTraceReport", std::span(scan_properties).first(trace_properties)};
const Schema scan_result_schema{"ShipmentScanResult", result_properties};

void check_scan(const json::object& body, FieldErrors& errors) {
  const bool has_number = find_value(body, "trackingNumber") != nullptr;
  const bool has_guid = find_value(body, "shipmentId") != nullptr;
  if (!has_number && !has_guid)
    errors.push_back({"trackingNumber", "is required unless shipmentId is given"});
  if (has_number && has_guid)
    errors.push_back({"shipmentId", "must not be given together with trackingNumber"});
}

Scan scan_of(const json::object& body) {
  return {.shipment = guid_at(body, "shipmentId"),
          .number = text_at(body, "trackingNumber"),
          .status = text_at(body, "status").value(),
          .description = text_at(body, "description").value(),
          .location = text_at(body, "location"),
          .at = parse_timestamp(text_at(body, "timestamp").value_or("")),
          .external_id = text_at(body, "externalId")};
}

std::vector<Scan> scans_of(const json::array& entries) {
  std::vector<Scan> scans;
  scans.reserve(entries.size());
  for (const auto& entry : entries) scans.push_back(scan_of(entry.get_object()));
  return scans;
}

asio::awaitable<std::vector<ScanOutcome>> record_scans(storage::Transaction& transaction,
                                                       const Guid& business, std::span<const Scan> scans,
                                                       const ScanRules& rules) {
  ScanWriter writer(transaction, business, scans, rules);
  co_return co_await writer.write();
}

std::string scan_results(std::span<const ScanOutcome> outcomes) {
  std::string text = "[";
  for (std::size_t index = 0; index < outcomes.size(); ++index) {
    if (index > 0) text += ',';
    text += R"({"index":)" + std::to_string(index);
    if (const auto error = error_of(outcomes[index]); !error.empty()) {
      text += R"(,"error":)";
      append_json_string(text, error);
    } else {
      text += outcomes[index] == ScanOutcome::moved ? R"(,"moved":true)" : R"(,"moved":false)";
    }
    text += '}';
  }
  return text += ']';
}

}  // namespace waybill::api
