#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/list.hpp"
#include "api/records/row_json.hpp"
#include "base/ascii.hpp"
#include "base/clock.hpp"
#include "base/utf8.hpp"
#include "storage/sql/search.sql.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t least_characters = 2;
constexpr std::size_t most_entries = 20;

constexpr std::string_view types[] = {"order", "shipment", "customer", "product", "workflow"};
constexpr Parameter query[] = {
    {.name = "q",
     .kind = Kind::string,
     .required = true,
     .description =
         "2 to 200 characters: a guid, order number, tracking number, e-mail address, external "
         "reference or SKU, as a whole and without regard to case, or the beginnings of words of a "
         "name, one of which has three characters."},
};
constexpr Property entry_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = types},
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "title",
     .kind = Kind::string,
     .nullable = false,
     .description = "The order's number, the shipment's tracking number, or the name."},
    {.name = "subtitle",
     .kind = Kind::string,
     .description = "The recipient and the city, the customer's e-mail address, the SKU, or the type of the "
                    "workflow's records."},
    {.name = "status", .kind = Kind::string, .description = "Null for customers and products."},
};
constexpr Schema entry_schema{"SearchEntry", entry_properties};

struct FoundEntry {
  bool is_whole = false;
  Time created_at;
  std::string entry;  // JSON
};

/// Adds the rows of a statement of storage/sql/search to `found`.
asio::awaitable<void> append_found(const Call& call, Services& services, const storage::Statement& statement,
                                   std::string text, storage::Params params, std::vector<FoundEntry>& found) {
  constexpr int hidden_columns = 2;  // whole, created_at
  const auto rows = co_await services.db.read_long(call.business(), statement.name, std::move(text),
                                                   std::move(params), storage::Format::binary);
  const auto entries = rows.slice(0, rows.size(), hidden_columns);
  for (int row = 0; row < rows.size(); ++row) {
    found.push_back({.is_whole = storage::read_binary<bool>(rows.get(row, 0)),
                     .created_at = storage::read_binary<Time>(rows.get(row, 1)),
                     .entry = json_object(entries, row)});
  }
}

/// Adds the records of a type that the statement `S` finds.
template <typename S>
asio::awaitable<void> append_records(const Call& call, Services& services, domain::EntityType type,
                                     const S& statement, std::vector<FoundEntry>& found) {
  std::string text(S::statement.text);
  if (co_await holds_most(call.business(), services, domain::record_type(type))) {
    text = replaced(std::move(text), "r.business_id = $1::uuid/*indexed*/",
                    "$1::uuid = any (array[r.business_id])");
  }
  co_await append_found(call, services, S::statement, std::move(text), statement.params(), found);
}

asio::awaitable<Answer> search(Call& call, Services& services) {
  const auto text = trimmed(call.parameter("q").value_or(""));
  if (count_characters(text) < least_characters) throw invalid("q", "must have at least 2 characters");
  const auto guid = Guid::parse(text);
  const Guid& business = call.business();
  std::vector<FoundEntry> found;
  using enum domain::EntityType;
  co_await append_records(call, services, order, sql::search::Orders{business, text, guid}, found);
  co_await append_records(call, services, shipment, sql::search::Shipments{business, text, guid}, found);
  co_await append_records(call, services, customer, sql::search::Customers{business, text, guid}, found);
  co_await append_records(call, services, product, sql::search::Products{business, text, guid}, found);
  const sql::search::Workflows workflows{business, text, guid};
  co_await append_found(call, services, sql::search::Workflows::statement,
                        std::string(sql::search::Workflows::statement.text), workflows.params(), found);
  std::ranges::sort(found, [](const FoundEntry& one, const FoundEntry& other) {
    return std::tie(one.is_whole, one.created_at, one.entry) >
           std::tie(other.is_whole, other.created_at, other.entry);
  });
  std::string data = "[";
  for (std::size_t i = 0; i < std::min(found.size(), most_entries); ++i)
    data.append(i == 0 ? "" : ",").append(found[i].entry);
  co_return Answer::of(data + ']');
}

constexpr Endpoint search_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/search",
     .permission = Permission::read,
     .handler = search,
     .operation_id = "search",
     .summary = "Finds orders, shipments, customers, products and workflows",
     .description =
         "At most 20 entries: those that have the whole text first, then the newest. Of a name that "
         "many have, at most 100 records of each type are candidates.",
     .tag = "Search",
     .query = query,
     .answer = &entry_schema,
     .answer_is_array = true,
     .from_standby = true},
};

}  // namespace

std::span<const Endpoint> search_endpoints() { return search_endpoint_table; }

}  // namespace waybill::api
