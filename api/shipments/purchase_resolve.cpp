#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/shipments/purchase_schemas.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "base/blanks.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"
#include "connectors/label_format.hpp"
#include "storage/carriers/purchases.hpp"
#include "storage/sql/purchases.sql.hpp"

namespace waybill::api {
namespace {

using domain::Effect;
using domain::PurchaseStatus;

/// The facts of a purchase that a person knows.
struct Decision {
  domain::Resolution outcome;
  std::string number;        // of the carrier; may be empty
  storage::LabelBytes file;  // no bytes: none was given

  Effect apply(storage::StoredPurchase& purchase, Time now) const {
    domain::Purchase& facts = purchase.facts;
    const Effect effect = domain::resolved(facts, outcome, number, now);
    if (effect == Effect::moved && facts.status == PurchaseStatus::bought && !file.bytes.empty() &&
        !facts.erased_at)
      facts.has_label = true;
    return effect;
  }
};

/// The label in a body. Throws Failure (400) for another file.
storage::LabelBytes file_of(const json::object& body) {
  const auto text = text_at(body, "label");
  if (!text) return {};
  const auto bytes = base64_decode(*text);
  if (!bytes) throw invalid("label", "must be Base64");
  storage::LabelBytes file{.format = {}, .bytes = std::string(bytes->begin(), bytes->end())};
  const auto format = connectors::label_format_of(file.bytes);
  if (!format) throw invalid("label", "must be a PDF, a PNG or ZPL");
  file.format = std::string(label_formats()[static_cast<std::size_t>(*format)]);
  return file;
}

}  // namespace

asio::awaitable<Answer> resolve_purchase(Call& call, Services& services) {
  const json::object& body = call.object();
  const auto rows =
      co_await services.db.read(sql::purchases::Get{.business = call.business(), .purchase = call.id(1)});
  if (rows.empty() || rows.front().shipment_id != call.id()) throw not_found("purchase");
  const auto before = storage::purchase_of(call.business(), rows.front());
  Decision decision{.outcome = storage::resolution_of(text_at(body, "outcome")),
                    .number = without_blanks(text_at(body, "carrierTrackingNumber").value_or("")),
                    .file = file_of(body)};
  const bool needs_number = decision.outcome == domain::Resolution::bought &&
                            before.facts.status == PurchaseStatus::unknown &&
                            before.facts.tracking_numbers.empty();
  if (needs_number && decision.number.empty()) throw invalid("carrierTrackingNumber", "is required");
  const auto transaction = co_await services.db.begin(call.cause());
  storage::PurchaseChange change{.key = before.key,
                                 .make = [&decision](storage::StoredPurchase& purchase,
                                                     Time now) { return decision.apply(purchase, now); },
                                 .file = &decision.file,
                                 .resolved_by = author_json(call.principal),
                                 .cause = std::string()};  // that of the transaction
  const auto changed = co_await storage::change_purchase(*transaction, std::move(change));
  if (!changed) throw not_found("purchase");
  if (changed->effect != Effect::moved) {
    const std::string status(domain::text_of(changed->purchase.facts.status));
    throw Failure(ErrorCode::conflict,
                  "The purchase is " + status +
                      ". A person resolves one that is unknown, or a void that has no answer or was refused.",
                  {{"status", status}});
  }
  const auto shown = co_await transaction->run(
      sql::purchases::Answer{.business = call.business(), .purchase = before.key.guid});
  co_await transaction->commit();
  co_return Answer::of(json_object(shown.more()));
}

}  // namespace waybill::api
