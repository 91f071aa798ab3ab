#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/gate/request_check.hpp"
#include "api/orders/order_body.hpp"
#include "api/orders/order_handlers.hpp"
#include "api/orders/order_text.hpp"
#include "api/orders/order_values.hpp"
#include "api/records/fields.hpp"
#include "base/clock.hpp"
#include "storage/sql/orders.sql.hpp"

namespace waybill::api {
namespace {

/// An order of the call. In the end it has a failure or is created.
struct Entry {
  Guid guid;
  OrderValues values;
  std::optional<ItemList> items;   // items of an entry without failure
  std::optional<Failure> failure;  // the failure of a request for this order alone
  std::string number = {};         // number of the created order; empty before
};

/// Runs `work`, which throws Failure for an entry that is refused.
template <typename Work>
void attempt(Entry& entry, Work work) {
  if (entry.failure) return;
  try {
    work();
  } catch (Failure& failure) {
    entry.failure = std::move(failure);
  }
}

/// Throws invalid with at most `most_errors` details.
[[noreturn]] void refuse(FieldErrors errors, std::size_t most_errors) {
  if (errors.size() > most_errors) errors.resize(most_errors);
  throw invalid(std::move(errors));
}

void read_entry(json::value& body, Entry& entry, bool has_bad_value, std::size_t most_errors) {
  auto* const object = body.if_object();
  if (object == nullptr) throw invalid("body", "must be an object");
  FieldErrors errors;
  if (has_bad_value) refuse_unreadable(*object, errors, most_errors);
  validate(order_create_schema, *object, errors, {}, most_errors);
  if (errors.size() < most_errors) check_order_create(*object, errors);
  if (!errors.empty()) refuse(std::move(errors), most_errors);
  merge_order(*object, entry.values, errors);
  if (!errors.empty()) throw invalid(std::move(errors));
  entry.values.status = text_at(*object, "status").value_or(entry.values.status);
  entry.items.emplace(object->at("items").get_array(), json::array());
}

/// All entries together have as many details as one request. Once these are used up, a further entry that is
/// refused has one.
std::vector<Entry> read_entries(json::array& bodies, bool has_bad_value, Time now) {
  std::vector<Entry> entries(bodies.size());
  std::size_t details = 0;
  for (std::size_t index = 0; index < bodies.size(); ++index) {
    Entry& entry = entries[index];
    entry.guid = Guid::timed_random(to_unix_ms(now));
    const std::size_t most = std::max<std::size_t>(1, most_field_errors - details);
    attempt(entry, [&] { read_entry(bodies[index], entry, has_bad_value, most); });
    if (entry.failure) details = std::min(most_field_errors, details + entry.failure->details().size());
  }
  return entries;
}

OrderReferences references_of(std::span<const Entry> entries) {
  OrderReferences named;
  for (const Entry& entry : entries)
    if (!entry.failure) add_references(entry.values, {}, *entry.items, named);
  return named;
}

/// Refuses the entries that name records which do not exist or fit, and completes the items of the others.
void check_entries(const OrderReferences& existing, std::vector<Entry>& entries) {
  for (Entry& entry : entries) {
    attempt(entry, [&] {
      FieldErrors errors;
      check_references(entry.values, {}, existing, *entry.items, errors);
      if (!errors.empty()) throw invalid(std::move(errors));
    });
  }
}

/// The JSON array of the entries that have neither a failure nor a number yet; empty if there are none.
std::string open_orders(std::span<const Entry> entries) {
  std::string text;
  for (const Entry& entry : entries) {
    if (entry.failure || !entry.number.empty()) continue;
    text += text.empty() ? '[' : ',';
    text += order_text(entry.guid, entry.values, *entry.items);
  }
  if (!text.empty()) text += ']';
  return text;
}

/// Notes the numbers of the added orders, and refuses the entries whose own number another order has.
void note_added(const storage::TypedRows<sql::orders::CreateMany>& rows, std::vector<Entry>& entries) {
  std::map<Guid, std::string> numbers;
  for (const auto& row : rows) numbers.emplace(row.guid, row.order_number);
  for (Entry& entry : entries) {
    if (entry.failure || !entry.number.empty()) continue;
    if (const auto added = numbers.find(entry.guid); added != numbers.end()) {
      entry.number = added->second;
    } else if (entry.values.number) {
      entry.failure = number_conflict(entry.values);
    }
  }
}

/// Draws a number for each entry without failure, in a transaction of its own, so that other requests do not
/// wait for the orders of this call. Returns nullopt if an entry has its own number, which the numbers drawn
/// must not be: they are then drawn with the orders.
asio::awaitable<std::optional<std::string>> draw_numbers(const Call& call, Services& services,
                                                         std::span<const Entry> entries) {
  const auto is_added = [](const Entry& entry) { return !entry.failure; };
  const auto has_number = [](const Entry& entry) { return entry.values.number.has_value(); };
  if (std::ranges::any_of(entries, has_number)) co_return std::nullopt;
  const auto drawn =
      co_await services.db.write(sql::orders::DrawNumbers{.business = call.business(),
                                                          .wanted = std::ranges::count_if(entries, is_added)},
                                 call.cause());
  co_return std::string(drawn.front().numbers);
}

/// Adds the entries without failure, whose text is `orders`, in one transaction. If another request commits
/// the number that was chosen for an entry first, the entry is added again with the next number.
asio::awaitable<void> add_orders(storage::Transaction& transaction, const Guid& business, std::string orders,
                                 std::optional<std::string> numbers, std::vector<Entry>& entries) {
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto drawn = std::exchange(numbers, std::nullopt);
    note_added(co_await transaction.run(
                   sql::orders::CreateMany{.business = business, .orders = orders, .numbers = drawn}),
               entries);
    orders = open_orders(entries);
    if (orders.empty()) co_return;
  }
  for (Entry& entry : entries) {
    if (!entry.failure && entry.number.empty()) entry.failure = number_conflict(entry.values);
  }
}

bool is_refused(const Entry& entry) { return entry.failure.has_value(); }

/// The failure of the whole call: the kind and message of the first refused entry, and the details of all.
Failure whole_failure(std::span<const Entry> entries) {
  FieldErrors details;
  for (std::size_t index = 0; index < entries.size(); ++index) {
    if (!entries[index].failure) continue;
    const auto path = "orders[" + std::to_string(index) + "]";
    const auto& failure = *entries[index].failure;
    if (failure.details().empty()) details.push_back({path, failure.message()});
    for (const auto& [field, message] : failure.details())
      details.push_back({field == "body" ? path : std::string(path).append(".").append(field), message});
  }
  if (details.size() > most_field_errors) details.resize(most_field_errors);
  const auto& first = *std::ranges::find_if(entries, is_refused)->failure;
  return {first.code(), first.message(), std::move(details)};
}

void append_failure(std::string& text, const Failure& failure) {
  text += R"("error":{"code":")";
  text.append(code_text(failure.code())).append(R"(","message":)");
  append_json_string(text, failure.message());
  if (!failure.details().empty()) {
    json::object details;
    for (const auto& [field, message] : failure.details()) details.emplace(field, message);
    text.append(R"(,"details":)").append(to_json(details));
  }
  text += '}';
}

std::string results_of(std::span<const Entry> entries) {
  std::string text = "[";
  for (std::size_t index = 0; index < entries.size(); ++index) {
    const Entry& entry = entries[index];
    const int status = entry.failure ? http_status(entry.failure->code()) : 201;
    if (index > 0) text += ',';
    text += R"({"index":)" + std::to_string(index) + R"(,"status":)" + std::to_string(status) + ',';
    if (entry.failure) {
      append_failure(text, *entry.failure);
    } else {
      text += R"("guid":")" + entry.guid.to_string() + R"(","orderNumber":)";
      append_json_string(text, entry.number);
    }
    text += '}';
  }
  return text += ']';
}

}  // namespace

asio::awaitable<Answer> create_orders(Call& call, Services& services) {
  auto& body = call.body.get_object();
  const auto* const atomic = body.if_contains("atomic");
  const bool is_atomic = atomic != nullptr && atomic->is_bool() && atomic->get_bool();
  auto& bodies = body.at("orders").get_array();
  auto entries = co_await services.bodies.run_if(
      call.is_bulk, call.business(),
      [&, now = services.clock.now()] { return read_entries(bodies, call.has_bad_value, now); });
  const auto refuse_if_atomic = [&] {
    if (is_atomic && std::ranges::any_of(entries, is_refused)) throw whole_failure(entries);
  };
  const auto existing = co_await find_references(services, call.business(), references_of(entries));
  auto orders = co_await services.bodies.run_if(call.is_bulk, call.business(), [&] {
    check_entries(existing, entries);
    return open_orders(entries);
  });
  refuse_if_atomic();
  if (!orders.empty()) {
    auto numbers = co_await draw_numbers(call, services, entries);
    const auto transaction = co_await services.db.begin(call.cause());
    co_await add_orders(*transaction, call.business(), std::move(orders), std::move(numbers), entries);
    refuse_if_atomic();
    co_await transaction->commit();
  }
  co_return Answer::of(results_of(entries));
}

}  // namespace waybill::api
