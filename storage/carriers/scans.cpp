#include "storage/carriers/scans.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "base/clock_tolerance.hpp"
#include "storage/sql/scans.sql.hpp"

namespace waybill::storage {
namespace {

namespace asio = boost::asio;
using Text = std::optional<std::string>;

/// A scan of a locked shipment.
struct Found {
  std::size_t scan = 0;  // its position among all scans
  Guid shipment;
  std::string status;        // status of the shipment, later that of the trace
  std::string label_status;  // of the shipment; empty for null
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
  ScanCourse course;
  std::vector<ScanGroup> groups = {};

  ScanOutcome add(const ParcelScan& scan, Found& found) {
    auto [outcome, status] = course.judge(scan, found.at, found.is_known);
    if (outcome == ScanOutcome::repeated) return outcome;
    found.status = std::move(status);
    const bool is_move = outcome == ScanOutcome::moved;
    if (is_move || groups.empty() || groups.back().is_move) groups.push_back({.is_move = is_move});
    groups.back().scans.push_back(&found);
    return outcome;
  }
};

/// The parameters of a statement that stores scans.
struct ScanColumns {
  std::vector<Guid> shipments;
  std::vector<std::string> statuses, times, descriptions;
  std::vector<Text> locations, external_ids;

  void add(const ParcelScan& scan, const Found& found) {
    shipments.push_back(found.shipment);
    statuses.push_back(found.status);
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
  ScanWriter(Transaction& transaction, const Guid& business, std::span<const ParcelScan> scans,
             const ScanRules& rules)
      : transaction_(transaction), business_(business), scans_(scans), rules_(rules) {
    const auto is_ahead = [&](const ParcelScan& scan) {
      return scan.at && *scan.at > rules.now + clock_tolerance;
    };
    for (const ParcelScan& scan : scans)
      outcomes_.push_back(is_ahead(scan) ? ScanOutcome::future : ScanOutcome::unknown);
  }

  asio::awaitable<std::vector<ScanOutcome>> write() {
    co_await lock();
    if (found_.empty()) co_return std::move(outcomes_);
    co_await read_facts();
    std::map<Guid, Progress> shipments;
    for (Found& found : found_) {
      const auto [entry, is_new] = shipments.try_emplace(
          found.shipment, Progress{.course = {found.status, found.label_status, found.moved_at}});
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
    const auto rows = co_await transaction_.run(
        sql::scans::Lock{.business = business_, .numbers = numbers, .shipments = guids});
    for (const auto& row : rows) {
      const auto scan = static_cast<std::size_t>(row.scan - 1);
      auto& outcome = outcomes_[scan];
      if (rules_.carrier && row.carrier != rules_.carrier) {
        if (outcome == ScanOutcome::unknown) outcome = ScanOutcome::foreign;
      } else if (!found_.empty() && found_.back().scan == scan) {
        outcome = ScanOutcome::ambiguous;
      } else {
        outcome = ScanOutcome::stored;
        found_.push_back({.scan = scan,
                          .shipment = row.shipment,
                          .status = std::string(row.status),
                          .label_status = std::string(row.label_status.value_or(""))});
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
        sql::scans::Facts{.business = business_, .shipments = shipments, .external_ids = external_ids});
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
    if (!moves.shipments.empty()) co_await transaction_.run(moves.statement<sql::scans::Move>(business_));
    if (!others.shipments.empty()) co_await transaction_.run(others.statement<sql::scans::Store>(business_));
    co_return !moves.shipments.empty() || !others.shipments.empty();
  }

  Transaction& transaction_;
  const Guid business_;
  const std::span<const ParcelScan> scans_;
  const ScanRules rules_;
  std::vector<ScanOutcome> outcomes_;
  std::vector<Found> found_;
};

}  // namespace

asio::awaitable<std::vector<ScanOutcome>> record_scans(Transaction& transaction, const Guid& business,
                                                       std::span<const ParcelScan> scans,
                                                       const ScanRules& rules) {
  ScanWriter writer(transaction, business, scans, rules);
  co_return co_await writer.write();
}

}  // namespace waybill::storage
