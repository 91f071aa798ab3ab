#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "connectors/connector.hpp"

// The decisions of an import, without a database: docs/decisions/0017.
namespace waybill::worker {

/// True for a decimal from 0 to below 10^12, such as "19.99".
bool is_amount(std::string_view text);

/// True for an amount that a weight or length may have: at most 10^9.
bool is_measure(std::string_view text);

/// True for a status that an order of a store may have: not a draft.
bool is_store_status(std::string_view status);

/// The reason that an order of a store cannot be imported, as a sentence; nullopt if it can. A new order that
/// is cancelled needs neither items nor an address. One that was imported before does, because they would
/// replace those here.
std::optional<std::string> order_problem(const connectors::StoreOrder& order, bool is_new);

/// Makes the API accept each field: cuts texts that are longer than the API allows and removes an e-mail
/// address that is not valid.
void make_acceptable(connectors::StoreOrder& order);
void make_acceptable(connectors::StoreProduct& product);

/// Gives a product without a price of its own the lowest price of its variants.
void set_price(connectors::StoreProduct& product);

/// Returns the text, or null if there is none.
json::value value_of(const std::optional<std::string>& text);

/// "2:" and SHA-256 in hex of all imported fields except the status and the time of the change. The order of
/// items or variants makes no difference.
std::string digest_of(const connectors::StoreOrder& order);
/// The digest as stored by versions that did not import the details of items.
std::string second_digest_of(const connectors::StoreOrder& order);
/// The digest as stored by versions before them, which did not import recipients and shipping methods either.
std::string first_digest_of(const connectors::StoreOrder& order);
std::string digest_of(const connectors::StoreProduct& product);

/// The values of a product for customs, in our form. Empty if the store has none, or none that can be stored.
struct ProductCustoms {
  std::optional<std::string> hs_code = {}, origin_country = {};
  std::vector<std::string> remarks = {};  // about values that are left out: "its HS code 12 is left out, …"
};
/// Our products have one value for all variants. So a product whose variants have different ones has none.
ProductCustoms customs_of(const connectors::StoreProduct& product);

/// The remarks about the prices, weights and lengths of a product that cannot be stored and are left out:
/// "its price 9,90 is left out, …". Of several such values of one kind, the first is named.
std::vector<std::string> unreadable_values(const connectors::StoreProduct& product);
/// The same for the shipping cost of an order; nullopt if it has none or one that can be stored.
std::optional<std::string> unreadable_cost(const connectors::StoreOrder& order);

/// The guid of the customer that an import adds for the buyer of an order without an e-mail address.
Guid buyer_guid(const Guid& order, const connectors::StoreOrder& imported);
/// True if a customer without an e-mail address has the values of the order's buyer.
bool is_buyer(const connectors::StoreOrder& order, const connectors::StorePerson& customer);

/// True if the names have no word in common, so that they are those of two persons.
bool are_two_persons(std::string_view name, std::string_view other);

/// The items in the form of the column, but without products and with prices as text
/// (storage/sql/imports/items.inc). The description ends with the details. An item keeps its guid while its
/// description and SKU stay the same.
json::array items_of(const connectors::StoreOrder& order, const Guid& guid);

/// An entry of a store's service mapping: the carrier and service level of orders with a shipping method.
struct ServiceRule {
  std::string method;  // in lower case; a prefix if is_prefix
  bool is_prefix = false;
  std::optional<Guid> carrier;
  std::optional<std::string> level;
};

/// Reads the column service_mapping. Entries that are not readable are left out.
std::vector<ServiceRule> service_rules(std::string_view mapping);

/// The first rule for a shipping method; null if there is none.
const ServiceRule* find_service(const std::vector<ServiceRule>& rules,
                                const std::optional<std::string>& method);

/// True if an order with this status no longer takes changes from the store: shipped, delivered or cancelled.
bool is_closed(std::string_view status);

/// The reason that an order of the store cannot be the closed one here with its id, because the two were
/// created at different times; nullopt if it can.
std::optional<std::string> reused_id(const connectors::StoreOrder& order, std::string_view number_here,
                                     Time created_here);

struct StatusVerdict {
  std::optional<std::string_view> move;      // the new status
  std::optional<std::string> contradiction;  // a permanent difference from the store, for the user
};

/// Decides the move of an order with the status `here` when its status in the store is `now`; `before` is its
/// status in the store at the last import. An order moves only forwards, and only if the store has moved it.
StatusVerdict decide_status(std::string_view here, std::optional<std::string_view> before,
                            std::string_view now);

/// The progress of the imports from a store.
struct ImportProgress {
  std::optional<Time> reached;  // all changes up to this time are read; by the store's clock, but never later
                                // than `advanced_at`
  std::optional<Time> advanced_at;    // the last advance of `reached`, by the local clock
  std::optional<Time> pass_began_at;  // the start of the last complete import, by the local clock
};

/// The progress without a `reached` that cannot be right: no change had been made later than the time of the
/// advance, so a later `reached` is that of a store whose clock was ahead, and may be put right at any time.
ImportProgress believable(ImportProgress progress);

/// The longest time by which a change may become visible in a store after its timestamp, which may be the
/// start of its transaction or come from another server of the store.
inline constexpr Duration visible_after = std::chrono::minutes(5);
/// The overlap for timestamps in whole seconds, because queries select only changes later than a time.
inline constexpr Duration same_second = std::chrono::seconds(1);

/// The start of the next import. Changes that become visible late are not missed, and the clocks need not
/// agree: the overlap ends when a complete import began `visible_after` or more after the last advance.
std::optional<Time> import_start(const ImportProgress& progress);
/// The same for orders. The first import begins at `since`, because no order changes before it is created.
Time order_import_start(const ImportProgress& progress, Time since);

/// The store's time of the changes since the last import, by what its clock shows now, if the next import
/// would begin later: the store's clock was put back. `now` is the local time.
std::optional<Time> reached_before_setback(const ImportProgress& progress, Time store_time, Time now);

/// The longest time for which the products of an import are read before its orders.
inline constexpr Duration products_first = std::chrono::seconds(30);

/// The pause after a number of failed imports in a row (1 or more): 1, 2, 4 … 30 minutes, at least as long as
/// the store asked for, up to a day. `spread` in [-1, 1] varies it by up to 20 %.
Duration pause_after(int failures, std::optional<Duration> retry_after, double spread);

}  // namespace waybill::worker
