#include <algorithm>
#include <array>
#include <utility>

#include "api/records/missing_font.hpp"
#include "api/shipments/label_lock.hpp"
#include "api/shipments/own_label.hpp"
#include "api/shipments/shipment_body.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"
#include "connectors/carrier_gateway.hpp"
#include "documents/barcode.hpp"
#include "documents/label.hpp"
#include "domain/places/countries.hpp"
#include "domain/places/postal_address.hpp"
#include "domain/values/tracking_number.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

std::string text(const std::optional<std::string_view>& value) { return std::string(value.value_or("")); }

/// `role` is `sender` or `recipient`, `other_country` the country of the parcel's other party.
documents::Party party_of(const std::string& role, std::string name, std::string company, std::string phone,
                          const domain::PostalAddress& address, std::string_view other_country) {
  const auto* const country = domain::country_of(address.country.empty() ? other_country : address.country);
  auto fields = party_fields(role, name, company, address);
  return {.name = std::move(name),
          .company = std::move(company),
          .phone = std::move(phone),
          .address = domain::address_lines(address, other_country),
          .country = country == nullptr ? std::string() : std::string(country->code),
          .fields = std::move(fields)};
}

domain::PostalAddress sender_address(const sql::shipments::Label::Row& row) {
  return {.street = text(row.sender_street),
          .city = text(row.sender_city),
          .state = text(row.sender_state),
          .postal_code = text(row.sender_postal_code),
          .country = text(row.sender_country)};
}

domain::PostalAddress recipient_address(const sql::shipments::Label::Row& row) {
  return {.street = text(row.recipient_street),
          .city = text(row.recipient_city),
          .state = text(row.recipient_state),
          .postal_code = text(row.recipient_postal_code),
          .country = text(row.recipient_country)};
}

documents::Label label_of(const sql::shipments::Label::Row& row) {
  const auto sender_country = row.sender_country.value_or("");
  const auto recipient_country = row.recipient_country.value_or("");
  return {.tracking_number = std::string(row.tracking_number),
          .sender = party_of("sender", text(row.sender_name), text(row.sender_company),
                             text(row.sender_phone), sender_address(row), recipient_country),
          .recipient = party_of("recipient", text(row.recipient_name), text(row.recipient_company),
                                text(row.recipient_phone), recipient_address(row), sender_country),
          .carrier = text(row.carrier),
          .service_level = text(row.service_level),
          .packages = row.packages,
          .weight = text(row.weight),
          .order_number = text(row.order_number),
          .reference = text(row.reference),
          .carrier_tracking_number = text(row.carrier_tracking_number),
          .is_test = row.is_test};
}

/// Returns the hash of all that the label shows, and of its layout.
std::array<std::uint8_t, 32> content_hash(const documents::Label& label) {
  std::string all = std::to_string(documents::label_version);
  const auto append = [&](std::string_view value) { append_json_string(all, value); };
  append(label.tracking_number);
  for (const documents::Party* party : {&label.sender, &label.recipient}) {
    append(party->name);
    append(party->company);
    append(party->phone);
    append(std::to_string(party->address.size()));
    for (const std::string& line : party->address) append(line);
    append(party->country);
  }
  for (const std::string* value : {&label.carrier, &label.service_level, &label.weight, &label.order_number,
                                   &label.reference, &label.carrier_tracking_number}) {
    append(*value);
  }
  append(std::to_string(label.packages));
  append(label.is_test ? "test" : "");
  return sha256(all);
}

asio::awaitable<std::string> render(Services& services, const Guid& business, documents::Label label) {
  try {
    co_return co_await services.drawing.run(
        business, [label = std::move(label)] { return documents::render_label(label); });
  } catch (const documents::BarcodeError& error) {
    throw conflict("The tracking number cannot be printed as a barcode: " + std::string(error.what()));
  } catch (const documents::MissingFont& missing) {
    throw font_missing(missing, "label");
  } catch (const documents::UnprintableField& field) {
    throw field_left_out(field, "label");
  }
}

/// Returns the PDF that `make_label` stored; nullopt if there is none or the shipment has changed since.
asio::awaitable<std::optional<std::string>> stored_label(Services& services, Guid business, Guid shipment,
                                                         const documents::Label& label,
                                                         const std::optional<Bytes>& stored_hash) {
  const auto hash = content_hash(label);
  if (!stored_hash || !std::ranges::equal(*stored_hash, hash)) co_return std::nullopt;
  const auto rows = co_await services.db.read(
      sql::shipments::StoredLabel{.business = business, .shipment = shipment, .content_hash = hash});
  const auto stored = rows.find();
  if (!stored) co_return std::nullopt;
  co_return std::string(stored->pdf.begin(), stored->pdf.end());
}

/// Returns waybill's own label, stored or made now.
asio::awaitable<std::string> own_pdf(Services& services, Guid business, Guid shipment, documents::Label label,
                                     std::optional<Bytes> stored_hash) {
  auto pdf = co_await stored_label(services, business, shipment, label, stored_hash);
  if (!pdf) pdf = co_await render(services, business, std::move(label));
  co_return *std::move(pdf);
}

/// True if the call asks for the carrier's label: by name, or because the shipment's carrier can sell one.
bool is_of_carrier(const Call& call, const sql::shipments::Label::Row& row) {
  if (const auto kind = call.parameter("kind")) return *kind == "carrier";
  return is_label_locked(row.label_status) ||
         (row.connector && connectors::find_gateway(*row.connector) != nullptr);
}

}  // namespace

asio::awaitable<void> make_label(Services& services, Guid business, Guid shipment) {
  const auto rows =
      co_await services.db.read(sql::shipments::Label{.business = business, .shipment = shipment});
  const auto row = rows.find();
  if (!row) co_return;
  auto label = label_of(*row);
  const auto hash = content_hash(label);
  const auto pdf = co_await render(services, business, std::move(label));
  co_await services.db.write(
      sql::shipments::StoreLabel{
          .business = business, .shipment = shipment, .content_hash = hash, .pdf = storage::Bytea(pdf)},
      {});
}

asio::awaitable<std::optional<OwnLabel>> own_label(Services& services, Guid business, Guid shipment) {
  const auto rows =
      co_await services.db.read(sql::shipments::Label{.business = business, .shipment = shipment});
  const auto row = rows.find();
  if (!row) co_return std::nullopt;
  co_return OwnLabel{.pdf = co_await own_pdf(services, business, shipment, label_of(*row), row->content_hash),
                     .tracking_number = std::string(row->tracking_number)};
}

asio::awaitable<Answer> get_label(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::shipments::Label{.business = call.business(), .shipment = call.id()});
  const auto row = rows.find();
  if (!row) throw not_found("shipment");
  const auto number = row->tracking_number;
  std::string name(domain::is_tracking_number(number) ? number : "label");
  if (is_of_carrier(call, *row)) co_return co_await get_carrier_label(call, services, std::move(name));
  if (const auto format = call.parameter("format"); format && *format != "pdf")
    throw Failure(ErrorCode::conflict, "Waybill's own label is a PDF.", {{"format", "is pdf"}});
  auto answer =
      Answer::of(co_await own_pdf(services, call.business(), call.id(), label_of(*row), row->content_hash));
  answer.file_name = std::move(name) + ".pdf";
  co_return answer;
}

}  // namespace waybill::api
