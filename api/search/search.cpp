#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/list.hpp"
#include "api/records/row_json.hpp"
#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/clock.hpp"
#include "base/utf8.hpp"
#include "storage/sql/search.sql.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t least_characters = 2;
constexpr std::size_t most_entries = 20;
constexpr std::size_t share_of_type = 4;

constexpr std::string_view types[] = {"order", "shipment", "customer", "product", "workflow"};
constexpr Parameter query[] = {
    {.name = "q",
     .kind = Kind::string,
     .required = true,
     .description =
         "2 to 200 characters: a guid, order number, tracking number, e-mail address, external "
         "reference or SKU, as a whole and without regard to case, or the beginnings of words of a "
         "name, one of which has three characters."},
    {.name = "type",
     .kind = Kind::one_of,
     .values = types,
     .description = "Only records of this type. Default: of all types."},
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
  std::string_view type;
};

/// Adds the rows of a statement of storage/sql/search to `found`.
asio::awaitable<void> append_found(const Call& call, Services& services, std::string_view type,
                                   const storage::Statement& statement, std::string text,
                                   storage::Params params, std::vector<FoundEntry>& found) {
  constexpr int hidden_columns = 2;  // whole, created_at
  const auto rows = co_await services.db.read_long(call.business(), statement.name, std::move(text),
                                                   std::move(params), storage::Format::binary);
  const auto entries = rows.slice(0, rows.size(), hidden_columns);
  for (int row = 0; row < rows.size(); ++row) {
    found.push_back({.is_whole = storage::read_binary<bool>(rows.get(row, 0)),
                     .created_at = storage::read_binary<Time>(rows.get(row, 1)),
                     .entry = json_object(entries, row),
                     .type = type});
  }
}

bool is_sought(const Call& call, std::string_view type) {
  return call.parameter("type").value_or(type) == type;
}

/// Adds the records of a type that the statement `S` finds.
template <typename S>
asio::awaitable<void> append_records(const Call& call, Services& services, domain::EntityType type,
                                     const S& statement, std::vector<FoundEntry>& found) {
  const auto& record_type = domain::record_type(type);
  if (!is_sought(call, record_type.label)) co_return;
  std::string text(S::statement.text);
  if (co_await holds_most(call.business(), services, record_type)) {
    text = replaced(std::move(text), "r.business_id = $1::uuid/*indexed*/",
                    "$1::uuid = any (array[r.business_id])");
  }
  co_await append_found(call, services, record_type.label, S::statement, std::move(text), statement.params(),
                        found);
}

/// Adds everything that a text finds.
asio::awaitable<void> append_all(const Call& call, Services& services, const std::string& text,
                                 std::vector<FoundEntry>& found) {
  const auto guid = Guid::parse(text);
  const Guid& business = call.business();
  using enum domain::EntityType;
  co_await append_records(call, services, order, sql::search::Orders{business, text, guid}, found);
  co_await append_records(call, services, shipment, sql::search::Shipments{business, text, guid}, found);
  co_await append_records(call, services, customer, sql::search::Customers{business, text, guid}, found);
  co_await append_records(call, services, product, sql::search::Products{business, text, guid}, found);
  if (!is_sought(call, "workflow")) co_return;
  const sql::search::Workflows workflows{business, text, guid};
  co_await append_found(call, services, "workflow", sql::search::Workflows::statement,
                        std::string(sql::search::Workflows::statement.text), workflows.params(), found);
}

/// Leaves the entries of the answer: those that have the whole text, then the newest, each once. Of both,
/// each type keeps a share, so that the orders of a person do not crowd out the person.
void choose_entries(std::vector<FoundEntry>& found) {
  const auto is_before = [](const FoundEntry& one, const FoundEntry& other) {
    return std::tie(one.is_whole, one.created_at, one.entry) >
           std::tie(other.is_whole, other.created_at, other.entry);
  };
  std::ranges::sort(found, is_before);
  std::set<std::string_view> known;
  std::map<std::pair<bool, std::string_view>, std::size_t> counts;
  std::array<std::vector<FoundEntry>, 4> turns;
  for (const FoundEntry& each : found) {
    if (!known.insert(each.entry).second) continue;
    const bool is_in_share = ++counts[{each.is_whole, each.type}] <= share_of_type;
    turns.at((each.is_whole ? 0 : 2) + (is_in_share ? 0 : 1)).push_back(each);
  }
  std::vector<FoundEntry> chosen;
  for (const auto& turn : turns) chosen.insert(chosen.end(), turn.begin(), turn.end());
  if (chosen.size() > most_entries) chosen.resize(most_entries);
  std::ranges::sort(chosen, is_before);
  found = std::move(chosen);
}

asio::awaitable<Answer> search(Call& call, Services& services) {
  const std::string given(without_outer_blanks(call.parameter("q").value_or("")));
  const std::string text = single_spaced(given);
  if (count_characters(text) < least_characters) throw invalid("q", "must have at least 2 characters");
  std::vector<FoundEntry> found;
  co_await append_all(call, services, text, found);
  // A stored text may have the same blanks as the given one.
  if (given != text) co_await append_all(call, services, given, found);
  choose_entries(found);
  std::string data = "[";
  for (const FoundEntry& each : found) data.append(data.size() == 1 ? "" : ",").append(each.entry);
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
         "At most 20 entries: those that have the whole text first, also as the name of a customer, product "
         "or workflow, then the newest. Of both, each type keeps four. Of a name that many have, at most 100 "
         "records of each type are candidates.",
     .tag = "Search",
     .query = query,
     .answer = &entry_schema,
     .answer_is_array = true,
     .from_standby = true},
};

}  // namespace

std::span<const Endpoint> search_endpoints() { return search_endpoint_table; }

}  // namespace waybill::api
