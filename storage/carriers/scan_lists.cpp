#include "storage/carriers/scan_lists.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/carriers/list_course.hpp"
#include "storage/sql/scans.sql.hpp"

namespace waybill::storage {
namespace {

namespace asio = boost::asio;
using OptionalText = std::optional<std::string>;

/// Takes over one list.
class ListWriter {
 public:
  ListWriter(Transaction& transaction, const Guid& business, const Guid& shipment,
             std::span<const ParcelScan> list, Time now)
      : transaction_(transaction), business_(business), shipment_(shipment), list_(list), now_(now) {}

  asio::awaitable<ReadList> write() {
    ReadList read;
    if (!co_await lock()) co_return read;
    co_await read_state();
    plan_ = plan_list(state_, list_, now_);
    for (const ListStep& step : plan_.steps) {
      if (step.kind == ListStep::Kind::renew) {
        co_await renew(plan_.scans[step.scans.front()]);
      } else if (step.kind == ListStep::Kind::move) {
        co_await add<sql::scans::Move>(step);
      } else {
        co_await add<sql::scans::Store>(step);
      }
      const bool is_new = step.kind != ListStep::Kind::renew;
      read.added += is_new ? step.scans.size() : 0;
      read.moved = read.moved || step.kind != ListStep::Kind::store;
    }
    co_await settle(read.moved);
    co_return read;
  }

 private:
  /// False if there is no such shipment.
  asio::awaitable<bool> lock() {
    const std::vector<OptionalText> numbers(1);
    const std::vector<std::optional<Guid>> shipments(1, shipment_);
    const auto rows = co_await transaction_.run(
        sql::scans::Lock{.business = business_, .numbers = numbers, .shipments = shipments});
    if (rows.empty()) co_return false;
    state_.status = rows.front().status;
    state_.label_status = rows.front().label_status.value_or("");
    co_return true;
  }

  asio::awaitable<void> read_state() {
    std::vector<std::string> ids;
    for (const ParcelScan& scan : list_) ids.push_back(*scan.external_id);
    const auto rows = co_await transaction_.run(
        sql::scans::Known{.business = business_, .shipment = shipment_, .external_ids = ids});
    bool is_first = true;
    for (const auto& row : rows) {
      state_.changed_at = row.changed_at;
      state_.delivered_at = row.delivered_at;
      if (row.is_told) {
        state_.known.push_back({.external_id = std::string(row.external_id.value()),
                                .status = std::string(row.status),
                                .at = row.at,
                                .is_move = row.is_move,
                                .tells_status = row.tells_status,
                                .read_at = row.read_at});
      } else if (row.is_move || is_first) {
        state_.base_status = row.status;
        if (row.is_move) state_.base_at = row.at;
        for (KnownScan& known : state_.known) known.is_closed = true;
      }
      is_first = false;
    }
  }

  template <typename Statement>
  asio::awaitable<void> add(const ListStep& step) {
    const std::vector<Guid> shipments(step.scans.size(), shipment_);
    std::vector<std::string> statuses, times, descriptions;
    std::vector<OptionalText> locations, external_ids;
    for (const std::size_t position : step.scans) {
      const ListedScan& scan = plan_.scans[position];
      statuses.push_back(scan.status);
      times.push_back(format_sql_timestamp(scan.at));
      descriptions.push_back(list_[*scan.told].description);
      locations.push_back(list_[*scan.told].location);
      external_ids.emplace_back(scan.external_id);
    }
    co_await transaction_.run(Statement{.business = business_,
                                        .shipments = shipments,
                                        .statuses = statuses,
                                        .times = times,
                                        .descriptions = descriptions,
                                        .locations = locations,
                                        .external_ids = external_ids});
  }

  asio::awaitable<void> renew(const ListedScan& scan) {
    co_await transaction_.run(sql::scans::Renew{.business = business_,
                                                .shipment = shipment_,
                                                .external_id = scan.external_id,
                                                .status = scan.status,
                                                .at = scan.at,
                                                .delivered_at = plan_.delivered_at});
  }

  asio::awaitable<void> settle(bool has_moved) {
    std::vector<std::string> external_ids, statuses, times, moves, tells, read_times;
    for (const ListedScan& scan : plan_.scans) {
      if (scan.known && !plan_.is_course) continue;
      external_ids.push_back(scan.external_id);
      statuses.push_back(scan.status);
      times.push_back(format_sql_timestamp(scan.at));
      moves.emplace_back(scan.is_move ? "true" : "false");
      tells.emplace_back(scan.tells_status ? "true" : "false");
      read_times.push_back(format_sql_timestamp(scan.read_at));
    }
    if (plan_.steps.empty() && !plan_.is_course) co_return;
    co_await transaction_.run(sql::scans::Settle{.business = business_,
                                                 .shipment = shipment_,
                                                 .external_ids = external_ids,
                                                 .statuses = statuses,
                                                 .times = times,
                                                 .moves = moves,
                                                 .tells = tells,
                                                 .read_times = read_times});
    if (!plan_.is_course || !plan_.has_known) co_return;
    // A corrected time of the same move is not a new value: a timer on it would fire once more.
    co_await transaction_.run(sql::scans::Date{.business = business_,
                                               .shipment = shipment_,
                                               .changed_at = has_moved ? plan_.changed_at : state_.changed_at,
                                               .delivered_at = plan_.delivered_at});
  }

  Transaction& transaction_;
  const Guid business_, shipment_;
  const std::span<const ParcelScan> list_;
  const Time now_;
  ListState state_;
  ListPlan plan_;
};

}  // namespace

asio::awaitable<ReadList> record_list(Transaction& transaction, Guid business, Guid shipment,
                                      std::span<const ParcelScan> list, Time now) {
  ListWriter writer(transaction, business, shipment, list, now);
  co_return co_await writer.write();
}

}  // namespace waybill::storage
