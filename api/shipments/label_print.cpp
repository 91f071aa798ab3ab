#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/gateways/connected_carriers.hpp"
#include "api/shipments/own_label.hpp"
#include "api/shipments/print_places.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "api/threads/background.hpp"
#include "base/json.hpp"
#include "documents/merge_process.hpp"
#include "storage/sql/purchases.sql.hpp"

namespace waybill::api {
namespace {

/// A business waits for its own request and, if there are many, for those of others. Each draws up to a
/// hundred labels, in turns with others, and merges for up to 20 s.
constexpr auto longest_wait = std::chrono::seconds(30);

/// A shipment and where its label comes from.
struct Wanted {
  Guid shipment;
  std::optional<Guid> purchase;  // nullopt: waybill's own label
  documents::FileFormat format = documents::FileFormat::pdf;
  std::size_t size = 0;  // of the carrier's label
  bool is_test = false;  // the carrier's label
};

std::string field_of(std::size_t index) { return "shipmentIds[" + std::to_string(index) + "]"; }

/// Two parcels with one label of a carrier would be one parcel to it, so a shipment that is given twice is a
/// mistake.
std::vector<Guid> shipments_of(const json::object& body) {
  std::vector<Guid> shipments;
  std::unordered_set<Guid> known;
  FieldErrors errors;
  const auto& given = body.at("shipmentIds").get_array();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Guid shipment = Guid::parse(given[i].get_string()).value();
    if (!known.insert(shipment).second) errors.push_back({field_of(i), "is given twice"});
    shipments.push_back(shipment);
  }
  if (!errors.empty()) throw invalid(std::move(errors));
  return shipments;
}

/// The reason why a shipment has no label that can be printed; nullopt if it has one.
std::optional<std::string> problem_of(const sql::purchases::Printable::Row& row) {
  const auto status = row.status.value_or("");
  if (status.empty() || status == "refused" || status == "voided") {
    if (row.connector == manual_connector) return std::nullopt;
    if (status.empty()) return "has no bought label";
    return "has no bought label: the last purchase is " + std::string(status);
  }
  if (status != "bought") return "has no bought label: the purchase is " + std::string(status);
  if (row.is_erased) return "has a label that was erased";
  if (!row.label_size) return "has a label that is not loaded from the carrier yet";
  if (row.format == "zpl") return "has a ZPL label, which only label printers read";
  return std::nullopt;
}

Wanted wanted_of(const sql::purchases::Printable::Row& row) {
  Wanted wanted{.shipment = row.shipment, .purchase = {}};
  if (row.status != "bought") return wanted;
  wanted.purchase = row.purchase;
  if (row.format == "png") wanted.format = documents::FileFormat::png;
  wanted.size = static_cast<std::size_t>(*row.label_size);
  wanted.is_test = row.is_test;
  return wanted;
}

Failure unprintable(FieldErrors errors) {
  return {ErrorCode::conflict, "Some shipments have no printable label.", std::move(errors)};
}

Failure too_large() {
  return {ErrorCode::payload_too_large,
          "The labels have more than " + std::to_string(documents::largest_merge >> 20U) +
              " MiB together, or take too long to merge; ask for fewer at a time."};
}

/// Finds the label of each shipment. Throws Failure if one is unknown or has none.
asio::awaitable<std::vector<Wanted>> find_labels(Services& services, Guid business,
                                                 const std::vector<Guid>& shipments) {
  const auto rows =
      co_await services.db.read(sql::purchases::Printable{.business = business, .shipments = shipments});
  std::unordered_map<Guid, sql::purchases::Printable::Row> known;
  for (const auto& row : rows) known.emplace(row.shipment, row);
  FieldErrors unknown;
  FieldErrors errors;
  std::vector<Wanted> labels;
  for (std::size_t i = 0; i < shipments.size(); ++i) {
    const auto found = known.find(shipments[i]);
    if (found == known.end()) {
      unknown.push_back({field_of(i), "is not a shipment of this business"});
    } else if (auto problem = problem_of(found->second)) {
      errors.push_back({field_of(i), *std::move(problem)});
    } else {
      labels.push_back(wanted_of(found->second));
    }
  }
  if (!unknown.empty()) throw Failure(ErrorCode::not_found, "There is no such shipment.", std::move(unknown));
  if (!errors.empty()) throw unprintable(std::move(errors));
  co_return labels;
}

/// The bytes of a label, or the reason why there are none.
struct Loaded {
  documents::LabelFile file = {};
  std::optional<std::string> problem = {};
};

asio::awaitable<Loaded> load(Services& services, Guid business, const Wanted& wanted) {
  if (wanted.purchase) {
    const auto rows =
        co_await services.db.read(sql::purchases::Label{.business = business, .purchase = *wanted.purchase});
    const auto row = rows.find();
    if (!row) co_return Loaded{.problem = "has a label that was erased"};
    co_return Loaded{.file = {.format = wanted.format,
                              .bytes = std::string(row->bytes.begin(), row->bytes.end()),
                              .is_test = wanted.is_test}};
  }
  try {
    auto own = co_await own_label(services, business, wanted.shipment);
    if (!own) co_return Loaded{.problem = "was deleted"};
    co_return Loaded{.file = {.format = documents::FileFormat::pdf, .bytes = std::move(own->pdf)}};
  } catch (const Failure& failure) {
    if (failure.code() != ErrorCode::conflict) throw;
    co_return Loaded{.problem = failure.message()};
  }
}

/// Loads all labels. Throws Failure if one is not there any more, or if they are too large.
asio::awaitable<std::vector<documents::LabelFile>> load_all(Services& services, Guid business,
                                                            const std::vector<Wanted>& labels) {
  std::size_t size = 0;
  for (const Wanted& wanted : labels) size += wanted.size;
  if (size > documents::largest_merge) throw too_large();
  std::vector<documents::LabelFile> files;
  FieldErrors errors;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto loaded = co_await load(services, business, labels[i]);
    if (loaded.problem) errors.push_back({field_of(i), *std::move(loaded.problem)});
    // The label may have become larger since it was found.
    size += loaded.file.bytes.size() - std::min(labels[i].size, loaded.file.bytes.size());
    if (size > documents::largest_merge) throw too_large();
    files.push_back(std::move(loaded.file));
  }
  if (!errors.empty()) throw unprintable(std::move(errors));
  co_return files;
}

/// The right to load labels and merge them. Each request holds up to `largest_merge` bytes, and twice as many
/// during its merge.
struct Turn {
  std::shared_ptr<void> of_business, of_all;
};

asio::awaitable<Turn> take_turn(Services& services, Guid business) {
  const auto until = services.clock.now() + longest_wait;
  const auto take = [&](CallPlaces& places, std::string owner) {
    return places.take(std::move(owner), until - services.clock.now());
  };
  Turn turn;
  turn.of_business = co_await take(services.printing.of_business, business.to_string());
  if (turn.of_business) turn.of_all = co_await take(services.printing.of_all, "");
  if (!turn.of_all) throw Failure(ErrorCode::unavailable, "Too many labels are being printed; try again.");
  co_return turn;
}

}  // namespace

asio::awaitable<Answer> print_labels(Call& call, Services& services) {
  const auto shipments = shipments_of(call.object());
  co_await find_labels(services, call.business(),
                       shipments);  // a request that cannot be served waits for no turn
  const auto turn = co_await take_turn(services, call.business());
  // A label may have been voided during the wait.
  const auto labels = co_await find_labels(services, call.business(), shipments);
  auto files = co_await load_all(services, call.business(), labels);
  auto merged = co_await services.merging.run(
      call.business(), [files = std::move(files)] { return documents::merge_apart(files); });
  FieldErrors errors;
  for (auto& [label, reason] : merged.unprintable) errors.push_back({field_of(label), std::move(reason)});
  if (!errors.empty()) throw unprintable(std::move(errors));
  if (merged.pdf.empty()) throw too_large();
  auto answer = Answer::of(std::move(merged.pdf));
  answer.file_name = "labels.pdf";
  co_return answer;
}

}  // namespace waybill::api
