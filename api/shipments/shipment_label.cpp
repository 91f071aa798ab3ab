#include <algorithm>
#include <array>
#include <utility>

#include "api/shipments/shipment_body.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"
#include "documents/barcode.hpp"
#include "documents/label.hpp"
#include "domain/tracking_number.hpp"
#include "storage/sql/shipments.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::shipments;

std::string join(std::string first, std::string_view separator, const std::string& second) {
  if (!first.empty() && !second.empty()) first += separator;
  return first += second;
}

documents::Party party_of(const PartyValues& party) {
  const auto place = join(party.postal_code.value_or(""), " ", party.city.value_or(""));
  return {.name = party.name.value_or(""),
          .address = {party.street.value_or(""), join(place, ", ", party.state.value_or("")),
                      party.country.value_or("")},
          .phone = party.phone.value_or("")};
}

documents::Label label_of(const sql::Label::Row& row) {
  return {.tracking_number = std::string(row.tracking_number),
          .sender = party_of(sender_of(row)),
          .recipient = party_of(recipient_of(row)),
          .carrier = std::string(row.carrier.value_or("")),
          .service_level = std::string(row.service_level.value_or("")),
          .packages = row.packages};
}

/// Returns the hash of all that the label shows, and of its layout.
std::array<std::uint8_t, 32> content_hash(const sql::Label::Row& row) {
  std::string text = std::to_string(documents::label_version);
  for (const std::string_view value :
       {row.tracking_number, row.carrier.value_or(""), row.service_level.value_or("")}) {
    append_json_string(text, value);
  }
  append_json_string(text, std::to_string(row.packages));
  for (const auto& party : {sender_of(row), recipient_of(row)}) {
    for (const auto* const value : {&party.name, &party.street, &party.city, &party.state, &party.postal_code,
                                    &party.country, &party.phone}) {
      append_json_string(text, value->value_or(""));
    }
  }
  return sha256(text);
}

asio::awaitable<std::string> render(Services& services, documents::Label label) {
  try {
    co_return co_await services.background.run(
        [label = std::move(label)] { return documents::render_label(label); });
  } catch (const documents::BarcodeError& error) {
    throw conflict("The tracking number cannot be printed as a barcode: " + std::string(error.what()));
  }
}

/// Returns the PDF that `make_label` stored; nullopt if there is none or the shipment has changed since.
asio::awaitable<std::optional<std::string>> stored_label(Call& call, Services& services,
                                                         const sql::Label::Row& row) {
  const auto hash = content_hash(row);
  if (!row.content_hash || !std::ranges::equal(*row.content_hash, hash)) co_return std::nullopt;
  const auto rows = co_await services.db.read(
      sql::StoredLabel{.business = call.business(), .shipment = call.id(), .content_hash = hash});
  const auto stored = rows.find();
  if (!stored) co_return std::nullopt;
  co_return std::string(stored->pdf.begin(), stored->pdf.end());
}

}  // namespace

asio::awaitable<void> make_label(Services& services, Guid business, Guid shipment) {
  const auto rows = co_await services.db.read(sql::Label{.business = business, .shipment = shipment});
  const auto row = rows.find();
  if (!row) co_return;
  const auto pdf = co_await render(services, label_of(*row));
  co_await services.db.write(sql::StoreLabel{.business = business,
                                             .shipment = shipment,
                                             .content_hash = content_hash(*row),
                                             .pdf = std::string_view(pdf)},
                             {});
}

asio::awaitable<Answer> get_label(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::Label{.business = call.business(), .shipment = call.id()});
  const auto row = rows.find();
  if (!row) throw not_found("shipment");
  auto pdf = co_await stored_label(call, services, *row);
  if (!pdf) pdf = co_await render(services, label_of(*row));
  auto answer = Answer::of(std::move(*pdf));
  const auto number = row->tracking_number;
  answer.file_name = std::string(domain::is_tracking_number(number) ? number : "label") + ".pdf";
  co_return answer;
}

}  // namespace waybill::api
