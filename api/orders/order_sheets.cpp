// Packing slips and pick lists of orders.
#include "documents/order_sheets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/missing_font.hpp"
#include "api/threads/background.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "domain/places/countries.hpp"
#include "domain/places/postal_address.hpp"
#include "storage/sql/orders.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t most_orders = 100;
// The limits of all orders together. Drawing takes at most about a second, in which no other sheet or label
// is drawn; businesses take turns.
constexpr std::int64_t most_items = 5'000;
constexpr std::size_t most_kib = 512;           // of the texts that are drawn
constexpr std::size_t most_characters = 5'000;  // different ones, which the PDF embeds
constexpr std::int64_t most_read = 4L << 20;    // bytes of items, as they are stored, and notes

constexpr Property sheet_properties[] = {
    {.name = "orderIds",
     .kind = Kind::array,
     .required = true,
     .max_length = most_orders,
     .items = Kind::uuid,
     .description = "The orders in the order of their sheets, each once."},
};
constexpr Schema sheet_schema{"OrderSheets", sheet_properties};
constexpr ErrorCode sheet_errors[] = {ErrorCode::not_found, ErrorCode::conflict,
                                      ErrorCode::payload_too_large};

std::string field_of(std::size_t index) { return "orderIds[" + std::to_string(index) + "]"; }

/// An order that is given twice would be packed twice.
std::vector<Guid> orders_of(const json::object& body) {
  std::vector<Guid> orders;
  std::unordered_set<Guid> known;
  FieldErrors errors;
  const auto& given = body.at("orderIds").get_array();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Guid order = Guid::parse(given[i].get_string()).value();
    if (!known.insert(order).second) errors.push_back({field_of(i), "is given twice"});
    orders.push_back(order);
  }
  if (!errors.empty()) throw invalid(std::move(errors));
  return orders;
}

Failure too_large() {
  return {ErrorCode::payload_too_large,
          "The orders have more than " + std::to_string(most_items) + " items or " +
              std::to_string(most_kib) + " KiB or " + std::to_string(most_characters) +
              " different characters of names, SKUs and notes together; ask for fewer orders at a time."};
}

/// Counts the bytes and the different characters of the texts that are drawn. Throws Failure if they are too
/// many.
class TextSize {
 public:
  void add(std::string_view text) {
    constexpr std::size_t bytes_of_kib = 1024;
    bytes_ += text.size();
    if (bytes_ > most_kib * bytes_of_kib) throw too_large();
    std::uint32_t character = 0;  // the bytes of its UTF-8
    for (const char byte : text) {
      constexpr unsigned char continuation_mask = 0xc0, continuation = 0x80;
      const auto value = static_cast<unsigned char>(byte);
      if ((value & continuation_mask) != continuation) take(std::exchange(character, 0));
      character = character << 8U | value;
    }
    take(character);
  }

 private:
  void take(std::uint32_t character) {
    constexpr std::uint32_t first_beyond_ascii = 0x80;
    if (character >= first_beyond_ascii && characters_.insert(character).second &&
        characters_.size() > most_characters)
      throw too_large();
  }

  std::size_t bytes_ = 0;
  std::unordered_set<std::uint32_t> characters_;  // beyond ASCII
};

/// Reads the orders. Throws Failure if one is unknown, or if they have too many items or too long texts.
asio::awaitable<storage::TypedRows<sql::orders::Printed>> read_orders(const Call& call, Services& services) {
  const auto orders = orders_of(call.object());
  auto rows = co_await services.db.read(sql::orders::Printed{
      .business = call.business(), .orders = orders, .most_items = most_items, .most_bytes = most_read});
  std::unordered_set<Guid> found;
  bool is_too_large = false;
  for (const auto& row : rows) {
    found.insert(row.order_id);
    is_too_large = is_too_large || !row.items;
  }
  FieldErrors unknown;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!found.contains(orders[i])) unknown.push_back({field_of(i), "is not an order of this business"});
  }
  if (!unknown.empty()) throw Failure(ErrorCode::not_found, "There is no such order.", std::move(unknown));
  if (is_too_large) throw too_large();
  co_return rows;
}

std::string text(const std::optional<std::string_view>& value) { return std::string(value.value_or("")); }

std::string country_code(std::string_view text) {
  const auto* const country = domain::country_of(text);
  return country == nullptr ? std::string() : std::string(country->code);
}

/// `place` is the place of the order in the request (field_of).
documents::Party sender_of(const sql::orders::Printed::Row& row, const std::string& place) {
  const domain::PostalAddress address{.street = text(row.street),
                                      .city = text(row.city),
                                      .state = text(row.state),
                                      .postal_code = text(row.postal_code),
                                      .country = text(row.country)};
  return {.name = std::string(row.sender_name),
          .company = {},
          .phone = text(row.phone),
          .address = domain::address_lines(address, text(row.recipient_country)),
          .country = country_code(text(row.country)),
          .fields = party_fields(place + ".sender", std::string(row.sender_name), "", address)};
}

documents::Party recipient_of(const sql::orders::Printed::Row& row, const std::string& place) {
  const domain::PostalAddress address{.street = text(row.recipient_street),
                                      .city = text(row.recipient_city),
                                      .state = text(row.recipient_state),
                                      .postal_code = text(row.recipient_postal_code),
                                      .country = text(row.recipient_country)};
  const std::string country = text(row.recipient_country);
  return {.name = text(row.recipient_name),
          .company = text(row.recipient_company),
          .phone = text(row.recipient_phone),
          .address = domain::address_lines(address, text(row.country)),
          .country = country_code(country.empty() ? text(row.country) : country),
          .fields = party_fields(place + ".recipient", text(row.recipient_name), text(row.recipient_company),
                                 address)};
}

/// The items of an order. What SQL has written in another form is left out.
std::vector<documents::SlipItem> items_of(const sql::orders::Printed::Row& row) {
  std::vector<documents::SlipItem> items;
  constexpr std::size_t deepest = 128;
  const auto parsed = parse_json(row.items.value(), deepest, {}, BadValues::keep);
  const auto* const stored = std::get_if<json::value>(&parsed);
  const auto* const list = stored == nullptr ? nullptr : stored->if_array();
  if (list == nullptr) return items;
  for (const json::value& each : *list) {
    const auto* const item = each.if_object();
    if (item == nullptr) continue;
    const auto* const quantity = find_value(*item, "quantity");
    items.push_back({.sku = text_at(*item, "sku").value_or(""),
                     .name = text_at(*item, "description").value_or(""),
                     .quantity = quantity != nullptr && quantity->is_int64() ? quantity->get_int64() : 0});
  }
  return items;
}

/// Draws a document on the thread for it.
template <typename Draw>
asio::awaitable<Answer> drawn(Services& services, Guid business, const char* name, const char* file,
                              Draw draw) {
  try {
    auto answer = Answer::of(co_await services.drawing.run(business, std::move(draw)));
    answer.file_name = file;
    co_return answer;
  } catch (const documents::MissingFont& missing) {
    throw font_missing(missing, name);
  } catch (const documents::UnprintableField& field) {
    throw field_left_out(field, name);
  }
}

asio::awaitable<Answer> print_packing_slips(Call& call, Services& services) {
  const auto rows = co_await read_orders(call, services);
  std::vector<documents::PackingSlip> slips;
  TextSize size;
  for (const auto& row : rows) {
    const std::string place = field_of(slips.size());
    const auto& slip =
        slips.emplace_back(documents::PackingSlip{.sender_name = std::string(row.sender_name),
                                                  .brand_color = text(row.brand_color),
                                                  .sender = sender_of(row, place),
                                                  .recipient = recipient_of(row, place),
                                                  .order_number = std::string(row.order_number),
                                                  .reference = text(row.reference),
                                                  .notes = text(row.notes),
                                                  .items = items_of(row)});
    size.add(slip.notes);
    for (const auto& item : slip.items) {
      size.add(item.sku);
      size.add(item.name);
    }
  }
  co_return co_await drawn(services, call.business(), "packing slips", "packing-slips.pdf",
                           [slips = std::move(slips)] { return documents::render_packing_slips(slips); });
}

/// The items of the orders, summed by SKU and name, in this order. Throws Failure if their texts are too
/// long.
documents::PickList pick_list_of(const storage::TypedRows<sql::orders::Printed>& rows) {
  documents::PickList list;
  std::map<std::pair<std::string, std::string>, documents::PickedItem> picked;
  for (const auto& row : rows) {
    list.sender_name = row.sender_name;
    list.order_numbers.emplace_back(row.order_number);
    for (documents::SlipItem& item : items_of(row)) {
      documents::PickedItem& sum = picked[{item.sku, item.name}];
      sum.sku = std::move(item.sku);
      sum.name = std::move(item.name);
      sum.quantity += item.quantity;
      const bool is_known = !sum.parts.empty() && sum.parts.back().order_number == row.order_number;
      if (!is_known) sum.parts.push_back({.order_number = std::string(row.order_number)});
      sum.parts.back().quantity += item.quantity;
    }
  }
  TextSize size;
  for (auto& [key, item] : picked) {
    size.add(item.sku);
    size.add(item.name);
    for (const auto& part : item.parts) size.add(part.order_number);
    list.items.push_back(std::move(item));
  }
  return list;
}

asio::awaitable<Answer> print_pick_list(Call& call, Services& services) {
  const auto rows = co_await read_orders(call, services);
  co_return co_await drawn(services, call.business(), "pick list", "pick-list.pdf",
                           [list = pick_list_of(rows)] { return documents::render_pick_list(list); });
}

constexpr Endpoint order_sheet_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/v1/packing-slips",
     .permission = Permission::operate,
     .handler = print_packing_slips,
     .operation_id = "printPackingSlips",
     .summary = "Returns the packing slips of up to 100 orders as one PDF",
     .description =
         "A4 pages in the order given: the sender with its brand colour, the recipient, order number, "
         "external reference, items with SKU and quantity, and the notes of the order. No prices. 404 names "
         "unknown orders in details; then nothing is printed. 409 names a field of an address of which "
         "nothing can be printed, such as a name of emoji (orderIds[0].recipient.name). 413 if the orders "
         "have more than 5 000 "
         "items, 512 KiB of text or 5 000 different characters.",
     .tag = "Orders",
     .body = &sheet_schema,
     .body_kind = BodyKind::object,
     .errors = sheet_errors,
     .media_type = "application/pdf"},
    {.method = Method::post,
     .path = "/api/v1/pick-list",
     .permission = Permission::operate,
     .handler = print_pick_list,
     .operation_id = "printPickList",
     .summary = "Returns the items of up to 100 orders, summed, as a PDF",
     .description =
         "A4 pages: each item once, by SKU and name, with its quantity in all orders and in each. "
         "404 names "
         "unknown orders in details. 413 if the orders have more than 5 000 items, 512 KiB of text or "
         "5 000 different characters.",
     .tag = "Orders",
     .body = &sheet_schema,
     .body_kind = BodyKind::object,
     .errors = sheet_errors,
     .media_type = "application/pdf"},
};

}  // namespace

std::span<const Endpoint> order_sheet_endpoints() { return order_sheet_endpoint_table; }

}  // namespace waybill::api
