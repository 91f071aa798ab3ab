#include <utility>

#include "api/route/params.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "documents/barcode.hpp"
#include "documents/label.hpp"
#include "domain/tracking_number.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::shipments;

std::string text_of(const storage::Rows& row, int column) { return std::string(row.get(0, column)); }

std::string join(std::string first, std::string_view separator, const std::string& second) {
  if (!first.empty() && !second.empty()) first += separator;
  return first += second;
}

/// Reads name, street, city, state, postal code, country and phone from `column` on.
documents::Party party_of(const storage::Rows& row, int column) {
  enum Part { name, street, city, state, postal_code, country, phone };
  const auto place = join(text_of(row, column + postal_code), " ", text_of(row, column + city));
  return {.name = text_of(row, column + name),
          .address = {text_of(row, column + street), join(place, ", ", text_of(row, column + state)),
                      text_of(row, column + country)},
          .phone = text_of(row, column + phone)};
}

documents::Label label_of(const storage::Rows& row) {
  enum Column { tracking_number, carrier, service_level, packages, sender, recipient = 11 };
  documents::Label label{.tracking_number = text_of(row, tracking_number),
                         .sender = party_of(row, sender),
                         .recipient = party_of(row, recipient),
                         .carrier = text_of(row, carrier),
                         .service_level = text_of(row, service_level)};
  label.packages = parse_number<decltype(label.packages)>(row.get(0, packages)).value_or(label.packages);
  return label;
}

/// Returns the hash of the row of label.sql, as PostgreSQL prints a bytea.
std::string content_hash(const storage::Rows& row) {
  std::string text = std::to_string(documents::label_version);
  for (int column = 0; column < row.columns() - 1; ++column) append_json_string(text, row.get(0, column));
  return "\\x" + hex(sha256(text));
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
asio::awaitable<std::optional<std::string>> stored_label(const storage::Rows& row, storage::Params key,
                                                         Services& services) {
  const auto hash = content_hash(row);
  if (row.get(0, row.columns() - 1) != hash) co_return std::nullopt;
  key.add(hash);
  const auto stored = co_await services.db.read(sql::stored_label, std::move(key));
  if (stored.empty()) co_return std::nullopt;
  const auto bytes = unhex(stored.get(0, 0).substr(2));
  if (!bytes) co_return std::nullopt;
  co_return std::string(bytes->begin(), bytes->end());
}

}  // namespace

asio::awaitable<void> make_label(Services& services, std::string business, std::string shipment) {
  storage::Params key;
  key.add(business).add(shipment);
  const auto row = co_await services.db.read(sql::label, key);
  if (row.empty()) co_return;
  const auto pdf = co_await render(services, label_of(row));
  key.add(content_hash(row))
      .add("\\x" + hex({reinterpret_cast<const std::uint8_t*>(pdf.data()), pdf.size()}));
  co_await services.db.write(sql::store_label, std::move(key), {});
}

asio::awaitable<Answer> get_label(Call& call, Services& services) {
  const auto row = co_await services.db.read(sql::label, key_params(call));
  if (row.empty()) throw not_found("shipment");
  auto pdf = co_await stored_label(row, key_params(call), services);
  if (!pdf) pdf = co_await render(services, label_of(row));
  auto answer = Answer::of(std::move(*pdf));
  const auto number = row.get(0, 0);
  answer.file_name = std::string(domain::is_tracking_number(number) ? number : "label") + ".pdf";
  co_return answer;
}

}  // namespace waybill::api
