#include "connectors/carrier_scans.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "storage/carriers/scan_lists.hpp"
#include "storage/sql/shipments.sql.hpp"
#include "storage/sql/tracking_pulls.sql.hpp"

namespace waybill::connectors {
namespace {

/// The words of the gateway, with the mark of a time that may be hours off.
std::string description_of(const CarrierScan& scan) {
  constexpr std::string_view mark = "(exact time unknown)";
  std::string text = scan.description.empty() ? scan.code : scan.description;
  if (scan.has_zone) return text;
  if (!text.empty()) text += ' ';
  return text.append(mark);
}

/// False for a scan of another parcel that had the number before the label was bought at `since`.
bool is_of_label(const CarrierScan& scan, Time since) { return scan.at >= since - earliest_scan; }

}  // namespace

std::vector<storage::ParcelScan> traces_of(const TrackAnswer& answer, const Guid& shipment,
                                           std::optional<Time> return_since, Time now) {
  std::vector<storage::ParcelScan> traces;
  traces.reserve(answer.scans.size());
  if (return_in(answer, now)) return_since.reset();
  std::string before = "created";
  for (const CarrierScan& scan : answer.scans) {
    const Time at = std::min(scan.at, now);
    const bool is_return = scan.is_return || (return_since && at > *return_since);
    storage::ParcelScan trace{.shipment = shipment,
                              .number = std::nullopt,
                              .status = scan.status.empty() ? before : scan.status,
                              .description = description_of(scan),
                              .location = scan.location.empty() ? std::nullopt : std::optional(scan.location),
                              .at = at,
                              .external_id = scan.external_id,
                              .tells_status = !scan.status.empty(),
                              .is_gateways = true};
    if (is_return && trace.status == "delivered") trace.status = "returned";
    before = trace.status;
    traces.push_back(std::move(trace));
  }
  return traces;
}

TrackAnswer of_label(TrackAnswer answer, Time since) {
  const auto dropped =
      std::erase_if(answer.scans, [&](const CarrierScan& scan) { return !is_of_label(scan, since); });
  if (dropped == 0) return answer;
  if (answer.scans.empty()) answer.estimated_delivery.reset();
  bool is_return = false;
  for (CarrierScan& scan : answer.scans) {
    is_return = is_return || scan.tells_return;
    scan.is_return = is_return;
    if (!is_return && scan.status == "returned") scan.status = "delivered";
  }
  return answer;
}

std::optional<Time> return_in(const TrackAnswer& answer, Time now) {
  const auto first = std::ranges::find_if(answer.scans, &CarrierScan::is_return);
  return first == answer.scans.end() ? std::nullopt : std::optional(std::min(first->at, now));
}

namespace {

asio::awaitable<AppliedScans> apply_scans(storage::Transaction& transaction, const AskedParcel& parcel,
                                          const TrackAnswer& answer, std::optional<Time> bought_since,
                                          Time now) {
  const auto known = co_await transaction.run(sql::tracking_pulls::Returns{
      .business = parcel.business, .shipment = parcel.shipment, .number = parcel.number});
  auto since = known.empty() ? std::nullopt : std::optional(known.front().since);
  // An earlier version has noted the return of another parcel.
  if (since && bought_since && *since < *bought_since - earliest_scan) since.reset();
  const auto traces = traces_of(answer, parcel.shipment, since, now);
  const auto read = co_await storage::record_list(transaction, parcel.business, parcel.shipment, traces, now);
  if (const auto told = return_in(answer, now); told && told != since) {
    co_await transaction.run(sql::tracking_pulls::NoteReturn{
        .business = parcel.business, .shipment = parcel.shipment, .number = parcel.number, .since = *told});
  }
  co_return AppliedScans{.added = read.added, .moved = read.moved};
}

}  // namespace

asio::awaitable<AppliedScans> apply_answer(storage::Transaction& transaction, AskedParcel parcel,
                                           const TrackAnswer& given, Time now) {
  AppliedScans applied;
  std::optional<Time> bought_since;
  if (!given.scans.empty()) {
    const auto label = co_await transaction.run(sql::tracking_pulls::LabelSince{
        .business = parcel.business, .shipment = parcel.shipment, .number = parcel.number});
    if (!label.empty()) bought_since = label.front().since;
  }
  const auto is_own = [&](const CarrierScan& scan) { return is_of_label(scan, *bought_since); };
  std::optional<TrackAnswer> shortened;
  if (bought_since && !std::ranges::all_of(given.scans, is_own)) shortened = of_label(given, *bought_since);
  const TrackAnswer& answer = shortened ? *shortened : given;
  if (!answer.scans.empty()) applied = co_await apply_scans(transaction, parcel, answer, bought_since, now);
  if (answer.estimated_delivery) {
    co_await transaction.run(storage::sql::shipments::Announce{.business = parcel.business,
                                                               .shipment = parcel.shipment,
                                                               .number = parcel.number,
                                                               .announced = *answer.estimated_delivery});
  }
  co_return applied;
}

}  // namespace waybill::connectors
